import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { Update } from '../contract/rpc/index.ts'
import { manualClock } from '../platform/testing/manual-clock.ts'
import { scratch, until } from '../companion/testing/rig.ts'
import { neverUpdates } from './updater.ts'
import { busyAgain, createUpdates, isNewer, lookAfter, type Updater } from './updates.ts'

/** A feed that a test offers versions on. */
function rig(over: { readonly never?: 'unsigned' } = {}) {
  const clock = manualClock()
  const seen: Update['phase'][] = []
  const logged: string[] = []
  const did: string[] = []
  const feed = { offered: undefined as string | undefined, failure: undefined as Error | undefined, busy: false }
  const updater: Updater = {
    check: () => {
      did.push('check')
      return feed.failure ? Promise.reject(feed.failure) : Promise.resolve(feed.offered)
    },
    download: (progress) => {
      did.push('download')
      progress(40.6)
      progress(100)
      return Promise.resolve()
    },
    install: () => {
      did.push('install')
    },
  }
  const updates = createUpdates({
    never: over.never,
    load: () => Promise.resolve(updater),
    version: '1.4.2',
    busy: () => feed.busy,
    clock,
    log: (line) => {
      logged.push(line)
    },
  })
  updates.on(({ phase }) => {
    if (seen.at(-1) !== phase) seen.push(phase)
  })
  return { clock, updates, feed, seen, did, logged }
}

it('looks a minute after the start and every six hours, and fetches what is newer', async () => {
  const { clock, updates, feed, seen, did } = rig()
  expect(did).toEqual([])
  clock.advance(lookAfter.start)
  await until('the first look', () => updates.state().phase === 'idle' && updates.state().checked !== null)
  feed.offered = '1.5.0'
  await until('the next look to be planned', () => clock.waiting() > 0)
  clock.advance(lookAfter.then)
  await until('what is newer', () => updates.state().phase === 'ready')
  expect(seen).toEqual(['checking', 'idle', 'checking', 'fetching', 'ready'])
  expect(updates.state()).toMatchObject({ version: '1.5.0', percent: 100 })
  expect(updates.install()).toBe(true)
  expect(did).toEqual(['check', 'check', 'download', 'install'])
})

it('fetches and installs nothing while something is on air or recorded', async () => {
  const { clock, updates, feed, did } = rig()
  feed.offered = '2.0.0'
  feed.busy = true
  await updates.check()
  expect(updates.state()).toMatchObject({ phase: 'waiting', version: '2.0.0' })
  expect(updates.install()).toBe(false)
  clock.advance(busyAgain)
  await until('another look', () => did.length === 2)
  await updates.check()
  expect(did).not.toContain('download')
  feed.busy = false
  await updates.check()
  expect(updates.state().phase).toBe('ready')
  feed.busy = true
  expect(updates.install()).toBe(false)
  expect(did).not.toContain('install')
})

it('never goes back to an older version, whatever is offered', async () => {
  const { updates, feed, did, logged } = rig()
  for (const offered of ['1.4.1', '1.4.2', '0.9.9', '1.4', 'v9', '9.0.0-beta.1', '', '99999999999.0.0']) {
    feed.offered = offered
    await updates.check()
    expect(updates.state()).toMatchObject({ phase: 'idle', version: null })
  }
  expect(did).not.toContain('download')
  expect(logged.some((line) => line.includes('0.9.9'))).toBe(true)
  expect([isNewer('1.10.0', '1.9.9'), isNewer('2.0.0', '1.9.9'), isNewer('1.9.10', '1.9.9')]).toEqual([
    true,
    true,
    true,
  ])
})

it('keeps running when what was offered is refused, and looks again later', async () => {
  const { clock, updates, feed, logged } = rig()
  feed.failure = new Error('New version 1.5.0 is not signed by the application owner')
  await updates.check()
  expect(updates.state()).toMatchObject({
    phase: 'failed',
    reason: { code: 'failed', params: { system: 'New version 1.5.0 is not signed by the application owner' } },
  })
  expect(logged).toHaveLength(1)
  expect(updates.install()).toBe(false)
  feed.failure = undefined
  clock.advance(lookAfter.then)
  await until('the next look', () => updates.state().phase === 'idle')
})

it('asks nobody in a build that never updates itself', async () => {
  const { clock, updates, did } = rig({ never: 'unsigned' })
  expect(clock.waiting()).toBe(0)
  await updates.check()
  expect(updates.state()).toMatchObject({ phase: 'never', reason: { code: 'unsigned' } })
  expect(did).toEqual([])
})

it('reads in the packed package.json whether this build updates itself', () => {
  using folder = scratch()
  const root = path.join(folder.dir, 'app')
  mkdirSync(root)
  const written = (sidestage: unknown) => {
    writeFileSync(path.join(root, 'package.json'), JSON.stringify({ sidestage }))
    return neverUpdates(true, root)
  }
  expect(written({ signed: true, updates: true })).toBeUndefined()
  expect(written({ signed: true, updates: false })).toBe('feed')
  expect(written({ signed: false, updates: true })).toBe('unsigned')
  expect(written(undefined)).toBe('unsigned')
  expect(neverUpdates(false, root)).toBe('development')
})

it('the first look is a minute after the start, the next six hours apart, a wait for a broadcast a minute', () => {
  expect([lookAfter, busyAgain]).toEqual([{ start: 60_000, then: 21_600_000 }, 60_000])
})

it.each([
  ['1.2.4', '1.2.3', true],
  ['1.3.0', '1.2.9', true],
  ['2.0.0', '1.9.9', true],
  ['1.2.10', '1.2.9', true],
  ['1.2.3', '1.2.3', false],
  ['1.2.2', '1.2.3', false],
  ['0.9.9', '1.0.0', false],
  ['1.2.4-beta', '1.2.3', false],
  ['1.2.4', '1.2.3-dev', false],
  ['1.2', '1.1.0', false],
  ['v1.2.4', '1.2.3', false],
])('the version %s is newer than %s: %s', (offered, running, newer) => {
  expect(isNewer(offered, running)).toBe(newer)
})
