import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { Pool } from 'pg'
import { onTestFinished } from 'vitest'
import { testDatabase } from './open-store.ts'

/** A pool whose way to the server of a test can be cut; what `made` answers is ended with the test. */
export async function cuttablePool(made: (pool: Pool) => Pool) {
  const { url } = (await testDatabase(`cuttable ${process.pid}`))!
  const { hostname, port } = new URL(url)
  let [tries, isAway, isSilent] = [0, false, false]
  const open = new Set<Socket>()
  const server: Server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined).on('close', () => open.delete(socket))
    if (isAway) {
      tries++
      return void socket.destroy()
    }
    const there = connect(Number(port), hostname)
    there.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    socket.on('close', () => there.destroy())
    there.on('data', (data) => void (!isSilent && socket.write(data)))
    socket.on('data', (data) => void (!isSilent && there.write(data)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = new URL(url)
  at.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const pool = new Pool({ connectionString: at.href, max: 20 })
  pool.on('error', () => undefined).on('connect', (client) => void client.on('error', () => undefined))
  onTestFinished(async () => {
    await pool.end()
    server.close()
    open.forEach((socket) => socket.destroy())
  })
  return {
    pool: made(pool),
    /** Connections that were refused. */
    tries: () => tries,
    /** Ends every connection, and refuses others. */
    away(is: boolean): void {
      isAway = is
      if (is) open.forEach((socket) => socket.destroy())
    },
    /** Lets nothing through, without a word. */
    silent: (is: boolean) => void (isSilent = is),
  }
}
