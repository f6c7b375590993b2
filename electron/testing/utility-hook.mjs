// Gives a forked process the parent port of an Electron utility process, made from Node's process channel.
import { EventEmitter } from 'node:events'

const port = new EventEmitter()
process.on('message', (data) => {
  port.emit('message', { data, ports: [] })
})
process.once('disconnect', () => {
  port.emit('close')
})
port.postMessage = (message) => {
  if (process.connected) process.send(message, undefined, undefined, () => undefined)
}
port.start = () => undefined
Object.defineProperty(process, 'parentPort', { value: port })
