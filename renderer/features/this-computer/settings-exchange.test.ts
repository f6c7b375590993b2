import { createApp } from 'vue'
import { expect, it } from 'vitest'
import type { ServiceChange } from '../../../contract/rpc/index.ts'
import type { RpcClient } from '../../data/client.ts'
import { useServiceChange } from './service-change.ts'
import { servicesKey } from '../../data/services.ts'
import { useSettingsExchange } from './settings-exchange.ts'

it('writes the layout of this page into the file, reads one before it is applied, and takes its layout over', async () => {
  const memory = new Map([['sidestage.popOutPicture', 'shown']])
  const asked: unknown[] = []
  const saved: string[] = []
  const rpc = {
    computer: {
      exportSettings: (input: unknown) =>
        Promise.resolve(asked.push(['export', input])).then(() => ({ name: 'settings.json', text: '{}' })),
      readSettings: (input: unknown) =>
        Promise.resolve(asked.push(['read', input])).then(() => ({
          handle: 'h',
          fault: null,
          where: null,
          changes: [{ part: 'profiles', name: 'Far', before: null, after: 'https://far.example' }],
        })),
      importSettings: (input: unknown) =>
        Promise.resolve(asked.push(['import', input])).then(() => ({ layout: { roomPicture: 'hidden' } })),
    },
  } as unknown as RpcClient
  const app = createApp({})
  app.provide(servicesKey, {
    rpc,
    now: () => 0,
    memory: { read: (key) => memory.get(key) ?? null, write: (key, value) => void memory.set(key, value) },
  })
  const exchange = app.runWithContext(() => useSettingsExchange((name, text) => saved.push(`${name} ${text}`)))
  expect(await exchange.write()).toBe(true)
  expect(saved).toEqual(['settings.json {}'])
  expect(await exchange.read(new Blob(['x'.repeat(100_001)]))).toBe(true)
  expect([exchange.tooLarge.value, exchange.plan.value]).toEqual([true, null])
  expect(await exchange.read(new Blob(['the file']))).toBe(true)
  expect(exchange.tooLarge.value).toBe(false)
  expect(await exchange.apply()).toBe(true)
  expect(exchange.done.value).toEqual({ what: 'applied', name: '', secretNeeded: true })
  expect(exchange.plan.value).toBeNull()
  expect(memory.get('sidestage.popOutPicture')).toBe('')
  expect(asked).toEqual([
    ['export', { layout: { roomPicture: 'shown' } }],
    ['read', { text: 'the file', layout: { roomPicture: 'shown' } }],
    ['import', { handle: 'h' }],
  ])
})

it('asks before it cuts a push, and says what came of it', async () => {
  const calls: boolean[] = []
  let answer: ServiceChange['outcome'] = 'onAir'
  const change = useServiceChange((evenOnAir) => {
    calls.push(evenOnAir)
    return Promise.resolve({ outcome: evenOnAir ? 'done' : answer, listener: null, by: null })
  })
  await change.ask()
  expect([change.asking.value, change.outcome.value]).toEqual([true, null])
  await change.confirm()
  expect([change.asking.value, change.outcome.value?.outcome, calls]).toEqual([false, 'done', [false, true]])
  answer = 'moving'
  await change.ask()
  expect([change.asking.value, change.outcome.value?.outcome]).toEqual([false, 'moving'])
  change.forget()
  expect(change.outcome.value).toBeNull()
})
