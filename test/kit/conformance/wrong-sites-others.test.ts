// The kit must be able to fail. Other wrong sites: each is caught by the check meant for it, and by no other.
import t from 'tap'
import { areCaught, OTHERS } from './wrong-sites.ts'

t.test('each is caught', t => areCaught(t, OTHERS))
