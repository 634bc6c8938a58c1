// The arguments of `npm run orders`.
import t from 'tap'
import { readOrdersRequest } from '../../src/cli/orders-request.ts'
import { UsageError } from '../../src/cli/run-command.ts'

const list = (filter: object, format = 'table') => ({ command: 'list', filter, format })

const requests: [string, object][] = [
  ['list', list({})],
  ['list --json', list({}, 'json')],
  ['list --csv', list({}, 'csv')],
  ['list --merchant harbour', list({ merchantId: 'harbour' })],
  ['list --reference ABC-1', list({ reference: 'ABC-1' })],
  ['list --number 7kqm-3xh9', list({ number: '7kqm-3xh9' })],
  ['list --from 2026-11-20', list({ from: '2026-11-20T00:00:00.000Z' })],
  ['list --to 2026-11-20', list({ before: '2026-11-21T00:00:00.000Z' })],
  ['list --to 2026-12-31', list({ before: '2027-01-01T00:00:00.000Z' })],
  ['list --from 2026-11-20T10:00Z', list({ from: '2026-11-20T10:00:00.000Z' })],
  ['list --from 2026-11-20T10:00:00+01:00', list({ from: '2026-11-20T09:00:00.000Z' })],
  ['list --to 2026-11-20T10:00:00.5Z', list({ before: '2026-11-20T10:00:00.500Z' })],
  ['show 7kqm-3xh9', { command: 'show', number: '7kqm-3xh9', format: 'table' }],
  ['show A --json', { command: 'show', number: 'A', format: 'json' }],
  ['redeliver A b', { command: 'redeliver', numbers: ['A', 'B'] }],
  ['redeliver --failed', { command: 'redeliver-failed' }],
  ['redeliver --failed --merchant harbour', { command: 'redeliver-failed', merchantId: 'harbour' }],
  ['erase A b', { command: 'erase', numbers: ['A', 'B'] }]
]
for (const [args, request] of requests) {
  t.test(args, t => {
    t.strictSame(readOrdersRequest(args.split(' ')), request)
    t.end()
  })
}

const mistakes: [string, RegExp][] = [
  ['', /give a command/],
  ['delete', /"delete" is not a command/],
  ['__proto__', /is not a command/],
  ['list --form 2026-11-20', /--form/],
  ['list --failed', /"list" takes no --failed/],
  ['list AAAA-0001', /give --number/],
  ['list --json --csv', /--json or --csv, not both/],
  ['list --from yesterday', /--from is "yesterday"; give a day/],
  ['list --to 2026-02-30', /--to is "2026-02-30"/],
  ['list --to 2026-13-01', /--to/],
  ['list --from 2026-11-20T10:00', /--from/],
  ['show', /"show" needs the number/],
  ['show A B', /takes one number/],
  ['show A --csv', /"show" takes no --csv/],
  ['redeliver', /"redeliver" needs the number/],
  ['redeliver A --failed', /numbers or --failed, not both/],
  ['redeliver A --merchant harbour', /--merchant goes with --failed/],
  ['erase', /"erase" needs the number/],
  ['erase --failed', /"erase" takes no --failed/]
]
for (const [args, message] of mistakes) {
  t.test(`refused: ${args || 'no arguments'}`, t => {
    t.throws(() => readOrdersRequest(args.split(' ').filter(Boolean)), { constructor: UsageError, message })
    t.end()
  })
}
