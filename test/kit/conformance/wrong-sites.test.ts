// The kit must be able to fail: each wrong site is caught by the checks that are meant for it.
import t from 'tap'
import { areCaught, SINGLE } from './wrong-sites.ts'

t.test('each is caught', t => areCaught(t, SINGLE))
