import { createApp } from 'vue'
import { expect, it, vi } from 'vitest'
import type { RpcClient } from './client.ts'
import { servicesKey, useServices, type Services } from './services.ts'

it('gives the services of the page, and none outside of one', () => {
  const services: Services = {
    rpc: {} as RpcClient,
    now: () => 1,
    memory: { read: () => null, write: () => undefined },
  }
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const app = createApp({})
  expect(() => app.runWithContext(() => useServices())).toThrow('the page has no services')
  warn.mockRestore()
  app.provide(servicesKey, services)
  expect(app.runWithContext(() => useServices())).toBe(services)
})
