// Loaded into a server with --import: measures the turns of its event loop, and answers each line that arrives at the
// socket TURN_METER with those since the last one.
import { createServer } from 'node:net'
import { startTurnMeter } from './turn-meter.ts'

const { TURN_METER } = process.env

createServer(socket => {
  const meter = startTurnMeter()
  socket.on('data', () => socket.write(`${JSON.stringify(meter.read())}\n`))
  socket.on('close', meter.stop)
  socket.on('error', meter.stop)
})
  .listen(TURN_METER)
  .unref()
