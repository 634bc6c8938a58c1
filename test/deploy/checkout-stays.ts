// A checkout stays on one replica, whatever its shopper does, until that one is gone. Bags and checkouts go to both.
import type { Test } from 'tap'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { uuid } from '../build.ts'
import { ADA, type Form, formOf } from '../pages/shopper.ts'
import { FORM, type Site } from './site.ts'
import { REPLICA } from './start-nginx.ts'

/** So many that all of them on one replica would be no chance. */
const CHECKOUTS = 20
/** Of the first bag; other tests have lower ones. */
const FIRST = 1000

/** Both replicas have to run; the first is killed. @param isSentTwice whether the proxy can send a body to a second one */
export async function checkoutStays(
  t: Test,
  { origin, addresses, replicas, send }: Site,
  isSentTwice = true
): Promise<void> {
  const read = async (answer: Response) => ({
    // nginx names all that were tried.
    replica: answer.headers.get(REPLICA)?.split(', ').at(-1),
    status: answer.status,
    text: await answer.text(),
    location: answer.headers.get('location') ?? ''
  })
  const get = async (path: string) => read(await fetch(new URL(path, origin)))
  const post = async (form: Form, typed: object) => {
    const body = `${new URLSearchParams({ ...form.fields, ...typed })}`
    return read(await fetch(new URL(form.action, origin), { method: 'POST', headers: FORM, body, redirect: 'manual' }))
  }
  const mistaken = { ...ADA, email: '' }

  const bags = new Set<string | undefined>()
  const checkouts: { form: Form; replica: string | undefined }[] = []
  for (let i = 0; i < CHECKOUTS; i++) {
    const bag = await read(await send(formPost, uuid(FIRST + i)))
    bags.add(bag.replica)
    const form = formOf(bag.text) as Form
    const answers = [await get(form.action), await post(form, mistaken), await get(`${form.action}/paid`)]
    if (i % 2) {
      const placed = await post(form, ADA)
      answers.push(placed, await get(placed.location))
    }
    const [replica, ...others] = new Set(answers.map(({ replica }) => replica))
    t.strictSame(others, [], answers.map(({ status }) => status).join())
    checkouts.push({ form, replica })
  }
  t.strictSame([...bags].sort(), addresses.toSorted(), 'bags go to both')
  const used = new Set(checkouts.map(({ replica }) => replica))
  t.strictSame([...used].sort(), addresses.toSorted(), 'checkouts go to both')

  await replicas[0]?.stop('SIGKILL')
  for (const { form } of checkouts) {
    const answers = [await get(form.action), ...(isSentTwice ? [await post(form, mistaken)] : [])]
    for (const { replica, status } of answers) t.strictSame([replica, status < 500], [addresses[1], true])
  }
}
