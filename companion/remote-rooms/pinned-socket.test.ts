import net, { type AddressInfo } from 'node:net'
import tls from 'node:tls'
import { afterEach, expect, it } from 'vitest'
import { readFingerprint } from '../../contract/invitation.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { makeCertificate, readCertificate } from '../moderators/certificate.ts'
import { until } from '../testing/rig.ts'
import { JoinError } from './join-error.ts'
import { openPinned, partsOf } from './pinned-socket.ts'

const ended: (() => void)[] = []
afterEach(() => {
  for (const end of ended.splice(0)) end()
})
/** Listens with this server; `open` are the connections that stand. */
async function listen(server: net.Server, address = '127.0.0.1') {
  const open = new Set<net.Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.on('error', () => undefined).on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  ended.push(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, host: `127.0.0.1:${port}`, open }
}
const silent = () => net.createServer((socket) => socket.resume())
/** A share of which so many are left. */
function shareOf(left: number) {
  const share = { left, take: () => share.left > 0 && share.left-- > 0, give: () => void share.left++ }
  return share
}
const troubleOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof JoinError ? error.what : error),
  )
async function securedServer() {
  const certificate = await makeCertificate([], Date.now())
  const fingerprint = readFingerprint(readCertificate(certificate, Date.now()).fingerprint) ?? ''
  const offered: (string | false | null)[] = []
  const server = tls.createServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
    offered.push(socket.alpnProtocol)
    socket.on('error', () => undefined).resume()
  })
  return { ...(await listen(server)), fingerprint, offered }
}

it.each([
  ['studio.example:7443', { name: 'studio.example', port: 7443 }],
  ['192.0.2.1:80', { name: '192.0.2.1', port: 80 }],
  ['[2001:db8::1]:443', { name: '2001:db8::1', port: 443 }],
])('reads name and port of %s', (host, parts) => {
  expect(partsOf(host)).toEqual(parts)
})

it('connects without TLS to this computer by address and by its name', async () => {
  const { port } = await listen(silent())
  for (const name of ['127.0.0.1', 'localhost']) {
    const clock = manualClock()
    const socket = await openPinned({ host: `${name}:${port}`, secured: false, fingerprint: null }, clock)
    expect([socket.remotePort, clock.waiting()]).toEqual([port, 0])
    socket.destroy()
  }
})

it.each([
  ['another computer without TLS', { host: '192.0.2.1:80', secured: false, fingerprint: null }],
  ['a name without TLS', { host: 'localhost.example:80', secured: false, fingerprint: 'ab'.repeat(32) }],
  ['an address of the network without TLS', { host: '10.0.0.1:80', secured: false, fingerprint: null }],
  ['this computer with TLS without a fingerprint', { host: '127.0.0.1:80', secured: true, fingerprint: null }],
])('connects not to %s, and takes no descriptor for it', async (_what, place) => {
  const share = shareOf(1)
  expect(await troubleOf(openPinned(place, manualClock(), share))).toBe('plain')
  expect(share.left).toBe(1)
})

it('connects with TLS to the certificate of its fingerprint, for HTTP 1.1', async () => {
  const { host, fingerprint, offered } = await securedServer()
  const clock = manualClock()
  const socket = await openPinned({ host, secured: true, fingerprint }, clock)
  await until('the connection there', () => offered.length === 1)
  expect([offered, clock.waiting()]).toEqual([['http/1.1'], 0])
  socket.destroy()
})

it.each([
  ['of another certificate', () => '0'.repeat(64)],
  ['that is cut short', (fingerprint: string) => fingerprint.slice(0, 62)],
  ['that is empty', () => ''],
])('ends a connection with TLS to a fingerprint %s', async (_what, change) => {
  const { host, fingerprint, open } = await securedServer()
  const clock = manualClock()
  const wrong = change(fingerprint)
  expect(await troubleOf(openPinned({ host, secured: true, fingerprint: wrong }, clock))).toBe('changed')
  await until('the end there', () => open.size === 0)
  expect(clock.waiting()).toBe(0)
})

it('takes a server without TLS for no Sidestage, and a port that nobody listens at for offline', async () => {
  const { host } = await listen(net.createServer((socket) => socket.resume().end('220 mail ready\r\n')))
  const place = { host, secured: true, fingerprint: '0'.repeat(64) }
  expect(await troubleOf(openPinned(place, manualClock()))).toBe('notOurs')
  for (const end of ended.splice(0)) end()
  const free = await listen(silent())
  ended.pop()!()
  expect(await troubleOf(openPinned({ ...place, host: free.host }, manualClock()))).toBe('offline')
})

it('waits 10 s for a connection and no longer, and ends what was begun', async () => {
  const { host, open } = await listen(silent())
  const clock = manualClock()
  const share = shareOf(1)
  let over: unknown
  const waiting = troubleOf(openPinned({ host, secured: true, fingerprint: '0'.repeat(64) }, clock, share)).then(
    (trouble) => (over = trouble),
  )
  await until('the connection', () => open.size === 1)
  clock.advance(9_999)
  await new Promise((resolve) => setImmediate(resolve))
  expect([over, share.left]).toEqual([undefined, 0])
  clock.advance(1)
  await waiting
  expect(over).toBe('offline')
  await until('the end there', () => open.size === 0)
  await until('its descriptor', () => share.left === 1)
})

it('does not connect where no descriptor is left', async () => {
  const { host, open } = await listen(silent())
  expect(await troubleOf(openPinned({ host, secured: false, fingerprint: null }, manualClock(), shareOf(0)))).toBe(
    'offline',
  )
  expect(open.size).toBe(0)
})

it('keeps its descriptor while the connection stands, and gives it back once', async () => {
  const { host } = await listen(silent())
  const share = shareOf(2)
  const socket = await openPinned({ host, secured: false, fingerprint: null }, manualClock(), share)
  expect(share.left).toBe(1)
  socket.destroy()
  await until('its descriptor', () => share.left === 2)
  const free = await listen(silent())
  ended.pop()!()
  await troubleOf(openPinned({ host: free.host, secured: false, fingerprint: null }, manualClock(), share))
  await until('the descriptor again', () => share.left === 2)
})
