// Checkouts that were found lately are the same objects again, up to a number of lines.
import t from 'tap'
import { recentCheckouts } from '../../src/store/recent-checkouts.ts'
import { newCheckout } from './store-suite.ts'

t.test('checkouts are kept until all their lines together would be too many', t => {
  const recent = recentCheckouts(4)
  const [a, b, c] = [newCheckout('a'), newCheckout('b'), newCheckout('c')]
  t.equal(recent.find('a'), undefined)
  t.equal(recent.keep(a), a)
  t.equal(recent.keep(b), b)
  t.equal(recent.find('a'), a)
  t.equal(recent.find('b'), b)
  recent.keep(c)
  t.equal(recent.find('a'), undefined)
  t.equal(recent.find('b'), undefined)
  t.equal(recent.find('c'), c)
  recent.keep(a)
  t.equal(recent.find('c'), c)
  t.end()
})
