// Asks the simulator's server, which plays platform and web view.

/** @returns the steps, and the page that the web view shows, if any @throws Error with what went wrong */
export async function post(path, payload) {
  const answer = await fetch(`/simulator/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(payload)
  })
  const result = await answer.json().catch(() => ({}))
  if (answer.status === 404) throw new Error('the server has been started anew; open the address that it then printed.')
  if (!result.steps) throw new Error(result.detail ?? `the answer was ${answer.status}`)
  return result
}

/** @returns the steps of the messages of a journey since the last call @throws Error if there is no list of them */
export async function findMessages(journey) {
  const answer = await fetch(`/simulator/messages?journey=${journey}`)
  if (!answer.ok) throw new Error(`the answer was ${answer.status}`)
  return answer.json()
}

/** Products of a shop by a query such as `q=mug` or `sku=A&sku=B`. @throws Error if there is no list of them */
export async function findProducts(merchantId, query, options) {
  const answer = await fetch(
    `/simulator/products?${new URLSearchParams([['merchant', merchantId], ...query])}`,
    options
  )
  if (!answer.ok) throw new Error(`the answer was ${answer.status}`)
  return answer.json()
}
