import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import { describe, expect, it } from 'vitest'
import type { AppEvent } from '../../contract/rpc/events.ts'
import type { About, Profile, ServiceState, Settings } from '../../contract/rpc/state.ts'
import { firstRecordingDefaults } from '../../contract/switched-recording.ts'
import { makeService } from '../testing/fake-state.ts'
import type { RpcClient } from './client.ts'
import { useCompanion } from './companion.ts'
import { servicesKey } from './services.ts'

const profile = (id: string, kind: Profile['kind'], secret: Profile['secret'] = 'keychain'): Profile => ({
  id,
  kind,
  extended: kind === 'local',
  media: null,
  name: id,
  liveUrl: 'http://a',
  messagingUrl: 'http://a',
  appKey: 'k',
  secret,
})
const local = profile('local', 'local')
const hosted = profile('h', 'hosted')

/** The store of a page that remembers `kept`. */
function stage(kept: Record<string, string> = {}) {
  const memory = new Map(Object.entries(kept))
  const time = { now: 1000 }
  const app = createApp({})
  app.provide(servicesKey, {
    rpc: {} as RpcClient,
    now: () => time.now,
    memory: { read: (key) => memory.get(key) ?? null, write: (key, value) => void memory.set(key, value) },
  })
  const pinia = createPinia()
  app.use(pinia)
  setActivePinia(pinia)
  const companion = useCompanion()
  return {
    companion,
    memory,
    time,
    profiles: (...profiles: Profile[]) => companion.apply({ type: 'profiles', profiles }),
    service: (change: Partial<ServiceState> = {}) =>
      companion.apply({ type: 'service', service: { ...makeService(0, 'full'), ...change } }),
  }
}

describe('the profile', () => {
  it('is none until some are known, then the one of this computer, else the first', () => {
    const { companion, profiles } = stage()
    expect([companion.profile, companion.local]).toEqual([null, false])
    profiles(hosted)
    expect([companion.profile?.id, companion.local]).toEqual(['h', false])
    profiles(hosted, local)
    expect([companion.profile?.id, companion.local]).toEqual(['local', true])
  })

  it('is the chosen one while it is there, also in the next visit', () => {
    const { companion, profiles, memory } = stage({ 'sidestage.profile': 'h' })
    profiles(local, hosted)
    expect(companion.profile?.id).toBe('h')
    companion.choose('local')
    expect([companion.profile?.id, memory.get('sidestage.profile')]).toEqual(['local', 'local'])
    companion.choose('h')
    profiles(local)
    expect(companion.profile?.id).toBe('local')
  })

  it('can be chosen for this window alone', () => {
    const { companion, profiles, memory } = stage()
    profiles(local, hosted)
    companion.hold('h')
    expect([companion.profile?.id, memory.size]).toEqual(['h', 0])
  })
})

describe('the service of this computer', () => {
  it.each([
    ['running', false],
    ['restarting', true],
    ['stopped', true],
    ['starting', false],
  ] as const)('that is %s is a fault: %s', (phase, isFault) => {
    const { companion, profiles, service } = stage()
    companion.lineIs('open')
    profiles(local)
    service({ phase })
    expect(companion.fault !== null).toBe(isFault)
    expect(companion.isLost).toBe(isFault)
    // A hosted profile does not need it.
    profiles(hosted)
    expect([companion.fault, companion.isLost]).toEqual([null, false])
  })

  it('that answers late is busy for the profile that needs it', () => {
    const { companion, profiles, service } = stage()
    profiles(local)
    service({ busySince: null })
    expect(companion.busy).toBe(false)
    service({ busySince: 5 })
    expect(companion.busy).toBe(true)
    profiles(hosted)
    expect(companion.busy).toBe(false)
  })

  it('says in which zone times are shown', () => {
    const { companion, service } = stage()
    service({ timeZone: 'Asia/Shanghai' })
    expect(companion.zone.clock(Date.UTC(2026, 10, 26, 8))).toBe('16:00:00')
  })
})

describe('a service elsewhere', () => {
  it('is lost while it does not answer, where it has the extension operations', () => {
    const { companion, profiles } = stage()
    const extended = { ...hosted, extended: true }
    const poll = { type: 'tallies' as const, profileId: hosted.id, at: 1, source: 'poll' as const, tallies: [] }
    const failure = { kind: 'refused', code: null, skewSeconds: null, detail: '' } as const
    companion.lineIs('open')
    const isLostWhen = (one: Profile, event: AppEvent): boolean => {
      profiles(one)
      companion.apply(event)
      return companion.isLost
    }
    expect(isLostWhen(extended, { ...poll, fault: 'poll', failure })).toBe(true)
    // Its event stream ended: whether it answers is asked next.
    expect(isLostWhen(extended, { ...poll, source: 'event', fault: 'lost' })).toBe(true)
    expect(isLostWhen(extended, { ...poll, fault: null })).toBe(false)
    expect(isLostWhen(extended, { ...poll, source: 'event', fault: 'lost' })).toBe(false)
    // What is shown of another one is what it gives, and its age.
    expect(isLostWhen(hosted, { ...poll, fault: 'poll', failure })).toBe(false)
  })
})

describe('the line', () => {
  it('is lost unless it is open', () => {
    const { companion } = stage()
    expect([companion.line, companion.isLost]).toEqual(['connecting', true])
    companion.lineIs('open')
    expect(companion.isLost).toBe(false)
    companion.lineIs('lost')
    expect(companion.isLost).toBe(true)
  })

  it('was lost when the app was last heard, which each event is, and says so until it is open again', () => {
    const { companion, time, profiles } = stage()
    companion.lineIs('open')
    time.now = 2000
    profiles(local)
    time.now = 3000
    companion.lineIs('lost')
    expect(companion.lostAt).toBe(2000)
    time.now = 4000
    companion.lineIs('lost')
    expect(companion.lostAt).toBe(2000)
    companion.lineIs('open')
    expect(companion.lostAt).toBeNull()
    time.now = 5000
    companion.heard()
    time.now = 6000
    companion.lineIs('lost')
    expect(companion.lostAt).toBe(5000)
  })

  it('that was never open has not been lost', () => {
    const { companion } = stage()
    companion.lineIs('lost')
    expect(companion.lostAt).toBeNull()
  })

  it('has a clock that goes on with each tick', () => {
    const { companion, time } = stage()
    time.now = 7000
    expect(companion.clock).toBe(1000)
    companion.tick()
    expect(companion.clock).toBe(7000)
  })
})

describe('what the app tells', () => {
  it('is kept by its kind', () => {
    const { companion } = stage()
    const told = {
      settings: { language: 'zh' },
      download: { phase: 'done' },
      update: { version: '2' },
      desktop: { keys: [] },
      computer: { ports: [] },
    }
    for (const [type, value] of Object.entries(told)) companion.apply({ type, [type]: value } as unknown as AppEvent)
    expect({
      settings: companion.settings,
      download: companion.download,
      update: companion.update,
      desktop: companion.desktop,
      computer: companion.computer,
    }).toEqual(told)
    companion.apply({ type: 'disk', refuses: true })
    expect(companion.diskRefuses).toBe(true)
    companion.apply({ type: 'disk', refuses: false })
    expect(companion.diskRefuses).toBe(false)
  })

  it('says what the shell can do and whether somebody has a seat', () => {
    const { companion } = stage()
    expect([companion.can('showInFolder'), companion.seat]).toEqual([false, null])
    companion.about = { capabilities: ['showInFolder'], seat: { accid: 'a' } } as unknown as About
    expect([companion.can('showInFolder'), companion.can('chooseFolder'), companion.seat]).toEqual([
      true,
      false,
      { accid: 'a' },
    ])
  })

  it('has a keychain unless secrets of this computer are kept for the session', () => {
    const { companion, profiles } = stage()
    expect(companion.hasKeychain).toBe(true)
    profiles(profile('local', 'local', 'session'), hosted)
    expect(companion.hasKeychain).toBe(false)
    profiles(local, profile('h', 'hosted', 'session'))
    expect(companion.hasKeychain).toBe(true)
  })

  it('has how new channels are recorded, as set or as an app begins', () => {
    const { companion } = stage()
    expect(companion.recordingDefaults).toEqual(firstRecordingDefaults)
    const recording = { ...firstRecordingDefaults, minutes: 30 }
    companion.apply({ type: 'settings', settings: { recording } as Settings })
    expect(companion.recordingDefaults).toEqual(recording)
  })
})

it('was last heard when its line opened, however long ago the page began', () => {
  const { companion, time } = stage()
  time.now = 9000
  companion.lineIs('open')
  time.now = 12_000
  companion.lineIs('lost')
  expect(companion.lostAt).toBe(9000)
})
