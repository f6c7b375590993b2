import { createPinia, setActivePinia } from 'pinia'
import { createApp, effectScope, nextTick } from 'vue'
import { expect, it, vi } from 'vitest'
import type { AppEvent, Profile, Retention } from '../../../contract/rpc/index.ts'
import type { RpcClient } from '../../data/client.ts'
import { useCompanion } from '../../data/companion.ts'
import { deletedBy, readRetention, useRetention } from './retention.ts'
import { servicesKey } from '../../data/services.ts'

it('reads limits: nothing and 0 are none, only whole numbers within the bounds are limits', () => {
  expect(readRetention({ days: '', gigabytes: ' ' })).toEqual({ days: 0, gigabytes: 0 })
  expect(readRetention({ days: ' 30 ', gigabytes: '0' })).toEqual({ days: 30, gigabytes: 0 })
  expect(readRetention({ days: '36500', gigabytes: '1000000' })).toEqual({ days: 36_500, gigabytes: 1_000_000 })
  for (const wrong of ['36501', '-1', '1.5', '1e3', 'x', '9'.repeat(20)])
    expect(readRetention({ days: wrong, gigabytes: '' }), wrong).toBe('days')
  expect(readRetention({ days: '1', gigabytes: '1000001' })).toBe('gigabytes')
})

it('says what limits delete', () => {
  expect([
    deletedBy({ days: 0, gigabytes: 0 }),
    deletedBy({ days: 1, gigabytes: 0 }),
    deletedBy({ days: 0, gigabytes: 1 }),
    deletedBy({ days: 1, gigabytes: 1 }),
  ]).toEqual(['nothing', 'days', 'gigabytes', 'both'])
})

it('reads the limits of the embedded service when it runs, also while another profile is chosen, and sets them', async () => {
  let kept: Retention = { days: 0, gigabytes: 250 }
  const asked: string[] = []
  const rpc = {
    recordings: {
      retention: ({ profileId }: { profileId: string }) => {
        asked.push(profileId)
        return Promise.resolve(kept)
      },
      setRetention: ({ profileId, ...next }: Retention & { profileId: string }) => {
        if (next.days === 13) return Promise.reject(new Error('refused'))
        asked.push(`${profileId} ${next.days} ${next.gigabytes}`)
        return Promise.resolve((kept = next))
      },
    },
  } as unknown as RpcClient
  const local: Profile = {
    id: 'local',
    kind: 'local',
    extended: true,
    media: null,
    name: 'l',
    liveUrl: 'http://a',
    messagingUrl: 'http://a',
    appKey: 'k',
    secret: 'keychain',
  }
  const app = createApp({})
  const pinia = createPinia()
  app.provide(servicesKey, { rpc, now: () => 0, memory: { read: () => null, write: () => undefined } })
  app.use(pinia)
  setActivePinia(pinia)
  const companion = useCompanion()
  const scope = effectScope()
  const retention = app.runWithContext(() => scope.run(() => useRetention()))!
  expect(asked).toEqual([])
  companion.apply({ type: 'profiles', profiles: [{ ...local, id: 'h', kind: 'hosted', extended: false }, local] })
  companion.choose('h')
  companion.lineIs('open')
  companion.apply({ type: 'service', service: { phase: 'running' } } as AppEvent)
  await vi.waitFor(() => expect(retention.known.value).toEqual({ days: 0, gigabytes: 250 }))
  expect(retention.entered.value).toEqual({ days: '', gigabytes: '250' })
  expect([retention.changed.value, retention.deletes.value]).toEqual([false, 'gigabytes'])

  retention.entered.value.days = 'x'
  await nextTick()
  expect([retention.fault.value, retention.changed.value]).toEqual(['days', false])
  await retention.save()
  expect(asked).toEqual(['local'])

  retention.entered.value.days = '30'
  expect([retention.fault.value, retention.changed.value, retention.deletes.value]).toEqual([null, true, 'both'])
  await retention.save()
  expect(asked).toEqual(['local', 'local 30 250'])
  expect([retention.saved.value, retention.changed.value]).toEqual([true, false])

  retention.entered.value.days = '13'
  await retention.save()
  expect(retention.failure.value).not.toBeNull()
  expect([retention.saved.value, retention.changed.value]).toEqual([false, true])

  // What is typed stays when the service was away and is read again.
  kept = { days: 30, gigabytes: 300 }
  companion.apply({ type: 'service', service: { phase: 'starting' } } as AppEvent)
  await nextTick()
  companion.apply({ type: 'service', service: { phase: 'running' } } as AppEvent)
  await vi.waitFor(() => expect(retention.known.value).toEqual(kept))
  expect(retention.entered.value).toEqual({ days: '13', gigabytes: '300' })
  scope.stop()
})
