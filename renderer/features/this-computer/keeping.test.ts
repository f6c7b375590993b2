import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import { expect, it } from 'vitest'
import type { AppEvent, SetAside } from '../../../contract/rpc/index.ts'
import type { RpcClient } from '../../data/client.ts'
import { useKeeping } from './keeping.ts'
import { servicesKey } from '../../data/services.ts'

const entry = (id: string, seen: boolean): SetAside => ({
  where: 'service',
  id,
  at: 1,
  reason: 'unknown',
  detail: '',
  paths: ['files/3c/3c01'],
  count: 1,
  bytes: 100,
  seen,
  until: 2,
})
const copy = { name: 'sidestage-2026-11-12T10-00-00Z.db', at: 1, bytes: 10 }
const service = (phase: string): AppEvent => ({ type: 'service', service: { phase } }) as AppEvent

function stage(recover: () => Promise<void> = () => Promise.resolve()) {
  const app = createApp({})
  const asked: (string | null)[] = []
  const rpc = {
    app: {
      recoverDatabase: (input: { copy: string | null }) => {
        asked.push(input.copy)
        return recover()
      },
    },
  } as unknown as RpcClient
  const pinia = createPinia()
  app.provide(servicesKey, { rpc, now: () => 1, memory: { read: () => null, write: () => undefined } })
  app.use(pinia)
  setActivePinia(pinia)
  return { asked, keeping: useKeeping() }
}

it('counts what nobody was told of, in entries and bytes', () => {
  const { keeping } = stage()
  expect(keeping.unseen).toEqual({ count: 0, bytes: 0 })
  keeping.apply({
    type: 'setAside',
    kept: { entries: [entry('a', false), entry('b', true), entry('c', false)], count: 3, bytes: 300, service: true },
  })
  expect(keeping.unseen).toEqual({ count: 2, bytes: 200 })
})

it('shows a recovery as running until the service runs, and as failed when it stops again', async () => {
  const { asked, keeping } = stage()
  await keeping.recover(copy)
  expect(keeping.recovery).toEqual({ copy, phase: 'running', failure: null })
  keeping.apply(service('restarting'))
  expect(keeping.recovery?.phase).toBe('running')
  keeping.apply(service('stopped'))
  expect(keeping.recovery).toEqual({ copy, phase: 'failed', failure: null })
  await keeping.recover(null)
  keeping.apply(service('restarting'))
  keeping.apply(service('running'))
  expect(keeping.recovery).toBe(null)
  expect(asked).toEqual([copy.name, null])
})

it('says that a recovery failed when the app could not be asked', async () => {
  const { keeping } = stage(() => Promise.reject(new Error('the line is gone')))
  await keeping.recover(copy)
  expect(keeping.recovery).toMatchObject({ copy, phase: 'failed', failure: { kind: 'offline' } })
})
