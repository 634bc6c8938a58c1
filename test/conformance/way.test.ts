// Which checks an option meets: those of the way in which its bags travel, whatever its name.
import t from 'tap'
import { checks } from '../../src/conformance/checks.ts'
import { concerning, wayOf } from '../../src/conformance/way.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import type { TransferOption } from '../../src/transfer/option.ts'

const idsFor = (option: Parameters<typeof wayOf>[0]) => concerning(checks, option).map(({ id }) => id)

t.test('the options of the contract', async t => {
  t.strictSame(transferOptions.map(wayOf), [
    { name: '1', answer: 'description', bag: 'json' },
    { name: '2A', answer: 'page', bag: 'form' },
    { name: '2B', answer: 'page', bag: 'query' }
  ])
})

t.test('an option that is added meets the checks of its kind, but for those of one section', async t => {
  for (const option of transferOptions) {
    const added = { ...option, name: '3' }
    const missing = idsFor(option).filter(id => !idsFor(added).includes(id))
    t.strictSame(missing, option.name === '2A' ? ['raw-brackets', 'claimed-price'] : [], option.name)
  }
})

t.test('one whose bags the kit cannot change meets no check that would change them', async t => {
  const [option] = transferOptions as [TransferOption]
  const added = {
    ...option,
    request: () => ({ method: 'POST', url: 'https://shop.example/', headers: [], body: '<bag/>' })
  }
  t.equal(wayOf(added).bag, 'other')
  const ids = idsFor(added)
  for (const id of ['missing-field', 'wrong-type', 'unknown-fields-ignored', 'url-2048']) t.notOk(ids.includes(id), id)
  for (const id of ['description-json', 'exact-items', 'wrong-content-type']) t.ok(ids.includes(id), id)
})
