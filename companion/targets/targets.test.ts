import { describe, expect, it } from 'vitest'
import type { Operation } from '../../contract/operation.ts'
import { local } from '../../contract/operations/index.ts'
import { readParameters } from '../../contract/validate.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import type { Vault } from '../secrets/vault.ts'
import { createKnownSecrets, notingVault } from '../support/known-secrets.ts'
import { failureOf } from '../testing/rig.ts'
import { createTargets } from './targets.ts'
import { isLocal } from '../profiles/profiles.ts'

const profileId = 'local'
const cid = 'c'.repeat(32)
const other = 'd'.repeat(32)
const key = 'live_5005_secretOfATest'
const keychain = (): Vault => ({
  ...sessionVault({ kind: 'session', reason: 'chosen', detail: '' }),
  mode: { kind: 'keychain' },
})

interface Row {
  readonly targetId: number
  name: string
  url: string
  key?: string | undefined
  forgotten?: boolean
}

/** A service that has targets in memory, and refuses what the contract does. */
function stage(vault = keychain()) {
  const rows = new Map<string, Row[]>()
  const calls: string[] = []
  const logged: string[] = []
  const told: unknown[] = []
  let next = 0
  const listed = ({ targetId, name, url, key: has, forgotten }: Row) => ({
    targetId,
    name,
    preset: 'custom',
    url,
    start: 'push',
    hasKey: has !== undefined,
    ...(has !== undefined && { keyEnd: has.slice(-4) }),
    ...(forgotten && { keyForgotten: true }),
    state: has === undefined ? 'noKey' : 'off',
    since: 1,
    kbps: 0,
    dropped: 0,
    reconnects: 0,
    tries: 0,
  })
  const call = async (operation: Operation, args: Record<string, unknown>): Promise<unknown> => {
    expect(readParameters(operation, args)).toMatchObject({ ok: true })
    calls.push(operation.path)
    const of = String(args['cid'])
    const mine = rows.get(of)
    if (!mine) throw new Failure('code', 'unknown', { code: 618 })
    const row = mine.find(({ targetId }) => targetId === args['targetId'])
    if (operation === local.targets) return { ret: { list: mine.map(listed), needs: 0, budget: 0, waiting: 0 } }
    if (operation === local.addTarget) {
      const { name, url, key: given } = args as { name: string; url: string; key?: string }
      mine.push({ targetId: ++next, name, url: url.replace(/\/$/, ''), key: given })
      return { ret: { targetId: next } }
    }
    if (!row) throw new Failure('code', 'unknown', { code: 618 })
    if (operation === local.updateTarget) {
      if (typeof args['url'] === 'string' && args['url'] !== row.url)
        Object.assign(row, { url: args['url'], key: undefined, forgotten: true })
      if (typeof args['key'] === 'string') row.key = args['key']
    }
    if (operation === local.removeTarget) mine.splice(mine.indexOf(row), 1)
    return {}
  }
  const client = { call } as unknown as Client
  const known = createKnownSecrets()
  const targets = createTargets({
    vault: notingVault(vault, known),
    entryName: (name) => `ours:${name}`,
    client: () => Promise.resolve(client),
    isExtended: isLocal,
    log: (line) => void logged.push(line),
    changed: (...of) => void told.push(['changed', ...of]),
    removed: (...of) => void told.push(['removed', ...of]),
  })
  rows.set(cid, [])
  const add = (given?: string, url = 'rtmps://ingest.example/app', of = cid) =>
    targets.add({
      profileId,
      cid: of,
      name: 'Campus',
      preset: 'custom',
      url,
      start: 'push',
      ...(given && { key: given }),
    })
  /** The service forgets its keys when it starts. */
  const restart = (): Promise<void> => {
    for (const mine of rows.values()) for (const row of mine) row.key = undefined
    return targets.give(profileId, client)
  }
  const keyAt = (of = cid): (string | undefined)[] => (rows.get(of) ?? []).map((row) => row.key)
  return { targets, rows, vault, calls, logged, told, known, client, add, restart, keyAt }
}

describe('the key of a target', () => {
  it('goes to the service and to the keychain, and is given again after each start of the service', async () => {
    const on = stage()
    expect(await on.add(key, 'rtmps://ingest.example/app/')).toEqual({ targetId: 1, key: 'keychain' })
    expect(await on.vault.names()).toEqual([`ours:target:${cid}:1`])
    await on.restart()
    await on.restart()
    expect(on.keyAt()).toEqual([key])
    expect(on.told).toEqual([['changed', profileId, cid]])
  })

  it('is in no answer and no line of the log, and known to whatever removes secrets', async () => {
    const on = stage()
    const answers: unknown[] = [await on.add(key), await on.targets.list({ profileId, cid }), on.told, on.logged]
    answers.push(await on.targets.update({ profileId, cid, targetId: 1, key: `${key}2` }))
    expect(JSON.stringify(answers)).not.toContain('secretOfATest')
    expect((await on.targets.list({ profileId, cid })).targets).toMatchObject([{ hasKey: true, keyEnd: 'est2' }])
    expect([...on.known.all()].sort()).toEqual([key, `${key}2`])
  })

  it('is not given to another address, even where a service says that this is its target', async () => {
    const on = stage()
    await on.add(key)
    on.rows.get(cid)![0]!.url = 'rtmp://elsewhere.example/app'
    await on.restart()
    expect(on.keyAt()).toEqual([undefined])
  })

  it('is forgotten with a new address, and stays with the same one', async () => {
    const on = stage()
    await on.add(key)
    await on.targets.update({ profileId, cid, targetId: 1, url: 'rtmps://ingest.example/app', name: 'Twitch' })
    expect(await on.vault.names()).toHaveLength(1)
    await on.targets.update({ profileId, cid, targetId: 1, url: 'rtmps://new.example/app' })
    expect(await on.vault.names()).toEqual([])
    expect((await on.targets.list({ profileId, cid })).targets).toMatchObject([{ hasKey: false, keyForgotten: true }])
    expect(await on.targets.update({ profileId, cid, targetId: 1, key })).toEqual({ key: 'keychain' })
    await on.restart()
    expect(on.keyAt()).toEqual([key])
  })

  it('is removed with its target, and not while the keychain refuses', async () => {
    const on = stage()
    await on.add(key)
    const refusing = stage({ ...on.vault, delete: () => Promise.reject(new Error('the collection is locked')) })
    refusing.rows.set(cid, on.rows.get(cid)!)
    expect(await failureOf(refusing.targets.remove({ profileId, cid, targetId: 1 }))).toMatchObject({
      kind: 'keychain',
    })
    expect(on.keyAt()).toEqual([key])
    await on.targets.remove({ profileId, cid, targetId: 1 })
    expect([await on.vault.names(), on.keyAt()]).toEqual([[], []])
    expect(on.told.slice(-2)).toEqual([
      ['removed', profileId, cid, 1],
      ['changed', profileId, cid],
    ])
  })

  it('is removed with its channel, and those of other channels stay', async () => {
    const on = stage()
    on.rows.set(other, [])
    await on.add(key)
    await on.add(key, 'rtmp://b.example/app', other)
    on.targets.forgetChannel(profileId, cid)
    await expect.poll(() => on.vault.names()).toEqual([`ours:target:${other}:2`])
  })

  it('stays with a channel that the service does not know now, and the others get theirs', async () => {
    const on = stage()
    on.rows.set(other, [])
    await on.add(key)
    await on.add(key, 'rtmp://b.example/app', other)
    on.rows.delete(cid)
    await on.restart()
    expect(on.keyAt(other)).toEqual([key])
    expect(await on.vault.names()).toHaveLength(2)
    expect(on.logged).toEqual(['targets of a channel did not get their keys: unknown'])
  })

  it('that the keychain refuses is with the service alone, which the answer says', async () => {
    const on = stage({ ...keychain(), set: () => Promise.reject(new Error('access denied')) })
    expect(await on.add(key)).toEqual({ targetId: 1, key: 'refused' })
    expect(on.keyAt()).toEqual([key])
    expect(on.logged).toEqual(['a key of a target is not kept: access denied'])
  })

  it('is said to last for the session where there is no keychain', async () => {
    const on = stage(sessionVault({ kind: 'session', reason: 'noBus', detail: '' }))
    expect(await on.add(key)).toEqual({ targetId: 1, key: 'session' })
    expect(await on.add()).toEqual({ targetId: 2, key: 'none' })
    await on.restart()
    expect(on.keyAt()).toEqual([key, undefined])
  })

  it('that cannot be read is not given, and its text is not logged', async () => {
    const on = stage()
    await on.add(key)
    await on.vault.set(`ours:target:${cid}:1`, `{"key":"${key}"`)
    await on.restart()
    expect(on.keyAt()).toEqual([undefined])
    expect(on.logged).toEqual(['a kept key of a target cannot be read'])
  })
})

describe('targets', () => {
  it('of a hosted service are not known', async () => {
    expect(await failureOf(stage().targets.list({ profileId: 'a'.repeat(16), cid }))).toMatchObject({ kind: 'absent' })
  })

  it('start and stop by call', async () => {
    const on = stage()
    await on.add(key)
    await on.targets.start({ profileId, cid, targetId: 1 })
    await on.targets.stop({ profileId, cid, targetId: 1 })
    expect(on.calls.slice(-2)).toEqual(['/local/target/start', '/local/target/stop'])
  })
})
