// Every check runs against sites with several faults: they are caught by the checks that are meant for them, and by no
// others.
import t from 'tap'
import { areCaughtAlone, COMPOSITE } from './wrong-sites.ts'

t.test('each is caught, and nothing else', t => areCaughtAlone(t, COMPOSITE))
