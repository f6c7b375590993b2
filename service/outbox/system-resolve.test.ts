import { isIP } from 'node:net'
import { expect, it } from 'vitest'
import { interfaceAddresses, systemResolve } from './system-resolve.ts'

it('gives every address of a name of this computer, and rejects for a name that leads nowhere', async () => {
  const found = await systemResolve('localhost')
  expect(found.length).toBeGreaterThan(0)
  for (const address of found) expect(['127.0.0.1', '::1']).toContain(address)
  await expect(systemResolve('nobody.invalid')).rejects.toMatchObject({ syscall: 'getaddrinfo' })
})

it('knows the addresses of this computer, the loopback one among them', () => {
  const addresses = interfaceAddresses()
  expect(addresses).toContain('127.0.0.1')
  for (const address of addresses) expect(isIP(address), address).toBeGreaterThan(0)
})
