// The kit must be able to fail. The wrong sites that the issue names: each is caught by the check meant for it, and by no other.
import t from 'tap'
import { areCaught, NAMED } from './wrong-sites.ts'

t.test('each is caught', t => areCaught(t, NAMED))
