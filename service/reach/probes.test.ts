import { once } from 'node:events'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { measure, type Present } from './measure.ts'
import { createProbes } from './probes.ts'
import { firstReach } from './reach-settings.ts'
import { selfSigned } from './testing/certificates.ts'

/** What is measured of a proxy on this computer with such a certificate; `isKnown`: its authority is. */
async function measured(names: readonly string[], { isKnown = true, ended = false } = {}) {
  const { cert, key } = await selfSigned(names, { ended })
  if (isKnown) {
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, cert])
    onTestFinished(() => setDefaultCACertificates(before))
  }
  const probes = createProbes({ clock: systemClock, random: randomBytes })
  const server = createServer({ cert, key }, ({ url = '' }, answer) => {
    probes.arrived(url.split('/').at(-1)!, undefined)
    answer.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const publicUrl = `https://localhost:${(server.address() as AddressInfo).port}`
  const present: Present = {
    settings: { ...firstReach, reach: 'proxy', publicUrl },
    faults: [],
    ownPorts: [],
    own: '',
    home: undefined,
    door: undefined,
    unusable: undefined,
    told: publicUrl,
    mapping: undefined,
    visited: undefined,
    untrusted: undefined,
  }
  const { result, encryption } = await measure('proxy', present, { clock: systemClock, probes })
  return `${result.reason ?? result.state} ${encryption}`
}

it('a proxy works with a certificate for its name, of an authority that is known', async () => {
  expect(await measured(['localhost'])).toBe('works vouched')
})

it('an answer that changes the protocol is that of somebody else', async () => {
  const server = createPlainServer().listen(0, '127.0.0.1')
  server.on('upgrade', (_request, socket) => socket.end())
  server.on('request', ({ socket }) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  )
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const probes = createProbes({ clock: systemClock, random: randomBytes })
  expect(await probes.send(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).toEqual({
    kind: 'other',
    detail: 'somebody else answered with 101',
  })
})

it.each<[string, () => Promise<string>]>([
  ['certificateName', () => measured(['other.example'])],
  ['certificateAuthority', () => measured(['localhost'], { isKnown: false })],
  ['certificate', () => measured(['localhost'], { ended: true })],
])('why the certificate of a proxy is not accepted is told: %s', async (reason, ask) => {
  expect(await ask()).toBe(`${reason} unvouched`)
})
