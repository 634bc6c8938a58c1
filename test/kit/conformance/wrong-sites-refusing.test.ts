// The kit must be able to fail. Sites that take what others refuse, or refuse it in their own way: each is caught by the
// check meant for it, and by no other.
import t from 'tap'
import { areCaught, REFUSING } from './wrong-sites.ts'

t.test('each is caught', t => areCaught(t, REFUSING))
