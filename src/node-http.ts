// Node's HTTP module. An `import` of it would read each of its exports, and for one of them, WebSocket, Node would load
// undici: 50 ms and 14 MB of every start.
export const { STATUS_CODES, createServer, request: requestHttp } = process.getBuiltinModule('node:http')
