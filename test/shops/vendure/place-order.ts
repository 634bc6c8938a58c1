// Orders what is in the cart of a session of Vendure's, with the requests that a storefront makes.
type Outcome = { __typename: string; message?: string; code?: string }

const OUTCOME = '{ __typename ... on ErrorResult { message } ... on Order { code } }'

// A server runs mutations in the order in which they are written.
const ORDER = `mutation($methods: [ID!]!) {
  setCustomerForOrder(input: { emailAddress: "ada@example.com", firstName: "Ada", lastName: "Muster" }) ${OUTCOME}
  setOrderShippingAddress(
    input: { streetLine1: "1 Harbour Street", city: "Leeds", postalCode: "LS1 1AA", countryCode: "GB" }
  ) ${OUTCOME}
  setOrderShippingMethod(shippingMethodId: $methods) ${OUTCOME}
  transitionOrderToState(state: "ArrangingPayment") ${OUTCOME}
  addPaymentToOrder(input: { method: "card", metadata: {} }) ${OUTCOME}
}`

/** @returns the number of the order */
export async function placeOrder(shop: string, token: string): Promise<string> {
  async function ask<Data>(query: string, variables = {}): Promise<Data> {
    const response = await fetch(`${shop}/shop-api`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables })
    })
    const { data, errors } = (await response.json()) as { data: Data; errors?: unknown }
    if (errors) throw new Error(JSON.stringify(errors))
    return data
  }
  const { eligibleShippingMethods: methods } = await ask<{ eligibleShippingMethods: { id: string }[] }>(
    '{ eligibleShippingMethods { id } }'
  )
  const outcomes = await ask<Record<string, Outcome>>(ORDER, { methods: methods.slice(0, 1).map(({ id }) => id) })
  for (const [step, { __typename: type, message }] of Object.entries(outcomes)) {
    if (type !== 'Order') throw new Error(`${step} answered ${type}: ${message}`)
  }
  return String(outcomes.addPaymentToOrder?.code)
}
