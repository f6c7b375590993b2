import { expect, it } from 'vitest'
import { through } from './router-ask.ts'

/** A gateway that calls its public address as it likes. */
const gateway = (externalHost: string) => ({
  map: (internalPort: number, internalHost: string) =>
    Promise.resolve({ internalHost, internalPort, externalHost, externalPort: internalPort, protocol: 'TCP' as const }),
  unmap: () => Promise.resolve(),
  stop: () => Promise.resolve(),
})
const ask = (externalHost: string) =>
  through(gateway(externalHost), 'upnp', 8443, AbortSignal.timeout(1_000), ['192.168.1.5'])

it('a router names its public address, and nothing else is taken for one', async () => {
  expect(await ask('203.0.113.7')).toMatchObject({ protocol: 'upnp', address: '203.0.113.7', port: 8443 })
  for (const name of ['evil.example', '', '203.0.113.7.evil.example', 'localhost'])
    await expect(ask(name)).rejects.toThrow('names no public address')
})
