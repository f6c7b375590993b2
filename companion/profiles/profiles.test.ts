import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sessionVault } from '../secrets/session-vault.ts'
import { type Vault, VaultRefused } from '../secrets/vault.ts'
import { scratch } from '../testing/rig.ts'
import { openQuarantine } from '../../platform/quarantine.ts'
import { extendedOnly, isLocal, localOnly, openProfiles } from './profiles.ts'

/** A keychain that outlives the profiles opened over it. */
function keychain(): Vault & { held: Map<string, string> } {
  const held = new Map<string, string>()
  return {
    held,
    mode: { kind: 'keychain' },
    get: (account) => Promise.resolve(held.get(account)),
    set: (account, secret) => {
      held.set(account, secret)
      return Promise.resolve()
    },
    delete: (account) => {
      held.delete(account)
      return Promise.resolve()
    },
    names: () => Promise.resolve([...held.keys()]),
    test: () => Promise.resolve({ kind: 'keychain' }),
  }
}
const entry = {
  name: 'Far',
  liveUrl: 'https://live.example/',
  messagingUrl: 'https://im.example/nimserver',
  appKey: 'key',
  appSecret: 'the-secret-of-far',
}

describe('profiles', () => {
  it('outlive a restart: addresses in the file, secrets in the keychain only', async () => {
    using folder = scratch()
    const vault = keychain()
    const first = await openProfiles({ dataDir: folder.dir, vault, random: randomBytes })
    const { id } = await first.add(entry)
    const pair = await first.localCredentials()
    const file = path.join(folder.dir, 'profiles.json')
    expect(readFileSync(file, 'utf8')).not.toContain(entry.appSecret)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const second = await openProfiles({ dataDir: folder.dir, vault, random: randomBytes })
    expect(second.find(id)).toMatchObject({ name: 'Far', liveUrl: 'https://live.example', secret: 'keychain' })
    expect(await second.service(id)).toMatchObject({ appSecret: entry.appSecret })
    expect(await second.localCredentials()).toEqual(pair)
    await second.remove(id)
    expect([...vault.held.keys()]).toHaveLength(1)
  })

  it('send no secret to an address that was edited into the file', async () => {
    using folder = scratch()
    const vault = keychain()
    const { id } = await (await openProfiles({ dataDir: folder.dir, vault, random: randomBytes })).add(entry)
    const file = path.join(folder.dir, 'profiles.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('https://live.example', 'https://evil.example'))
    const edited = await openProfiles({ dataDir: folder.dir, vault, random: randomBytes })
    expect(edited.find(id)).toMatchObject({ liveUrl: 'https://evil.example', secret: 'missing' })
    await expect(edited.service(id)).rejects.toMatchObject({ data: { kind: 'secret' } })
  })

  it.each([
    ['messagingUrl', 'https://evil.example/nimserver'],
    ['appKey', 'key-of-another'],
  ] as const)('use no secret for a profile whose %s was edited into the file', async (member, edited) => {
    using folder = scratch()
    const vault = keychain()
    const { id } = await (await openProfiles({ dataDir: folder.dir, vault, random: randomBytes })).add(entry)
    const file = path.join(folder.dir, 'profiles.json')
    const document = JSON.parse(readFileSync(file, 'utf8')) as { profiles: Record<string, string>[] }
    document.profiles[0]![member] = edited
    writeFileSync(file, JSON.stringify(document))
    const profiles = await openProfiles({ dataDir: folder.dir, vault, random: randomBytes })
    expect(profiles.find(id)).toMatchObject({ [member]: edited, secret: 'missing' })
    await expect(profiles.service(id)).rejects.toMatchObject({ data: { kind: 'secret' } })
  })

  it.each([
    ['liveUrl', 'https://other.example'],
    ['messagingUrl', 'https://other.example/nimserver'],
    ['appKey', 'key-of-another'],
  ] as const)('lose the kept secret when %s is changed, and take a new one', async (member, changed) => {
    using folder = scratch()
    const vault = keychain()
    const profiles = await openProfiles({ dataDir: folder.dir, vault, random: randomBytes })
    const { id } = await profiles.add(entry)
    expect(await profiles.update(id, { name: 'Farther' })).toMatchObject({ name: 'Farther', secret: 'keychain' })
    expect(await profiles.service(id)).toMatchObject({ appSecret: entry.appSecret })
    expect(await profiles.update(id, { [member]: changed })).toMatchObject({ [member]: changed, secret: 'missing' })
    await expect(profiles.service(id)).rejects.toMatchObject({ data: { kind: 'secret' } })
    expect([...vault.held.keys()]).toEqual([])
    expect(await profiles.update(id, { appSecret: 'the-new-secret' })).toMatchObject({ secret: 'keychain' })
    expect(await profiles.service(id)).toMatchObject({ [member]: changed, appSecret: 'the-new-secret' })
  })

  it('move where the origin of an address changes, and not with a path, a name or a key', async () => {
    using folder = scratch()
    const profiles = await openProfiles({ dataDir: folder.dir, vault: keychain(), random: randomBytes })
    const { id } = await profiles.add({
      ...entry,
      liveUrl: 'https://a.example/live',
      messagingUrl: 'https://a.example',
    })
    for (const change of [{}, { liveUrl: 'https://A.example:443/' }, { messagingUrl: 'https://a.example/nimserver' }])
      expect(profiles.moves(id, change)).toBe(false)
    for (const other of ['https://b.example/live', 'https://a.example:8443', 'https://a.example.b.example'])
      expect([profiles.moves(id, { liveUrl: other }), profiles.moves(id, { messagingUrl: other })]).toEqual([
        true,
        true,
      ])
    expect(() => profiles.moves(id, { liveUrl: 'no address' })).toThrow()
    expect(() => profiles.moves('local', {})).toThrow('no such profile')
  })

  it('start with a pair of this session when the keychain refuses, and show it', async () => {
    using folder = scratch()
    const refusing: Vault = {
      mode: { kind: 'keychain' },
      get: () => Promise.reject(new VaultRefused('locked', 'locked')),
      set: () => Promise.reject(new VaultRefused('locked', 'locked')),
      delete: () => Promise.resolve(),
      names: () => Promise.reject(new VaultRefused('locked', 'locked')),
      test: () => Promise.resolve({ kind: 'session', reason: 'locked', detail: 'locked' }),
    }
    const profiles = await openProfiles({ dataDir: folder.dir, vault: refusing, random: randomBytes })
    expect((await profiles.localCredentials()).appSecret.length).toBeGreaterThan(32)
    expect(profiles.find('local').secret).toBe('session')
    await expect(profiles.add(entry)).rejects.toMatchObject({ data: { kind: 'keychain' } })
    expect(profiles.all()).toHaveLength(1)
  })

  it('have a new pair per session without a keychain', async () => {
    using folder = scratch()
    const open = () =>
      openProfiles({
        dataDir: folder.dir,
        vault: sessionVault({ kind: 'session', reason: 'noBus', detail: '' }),
        random: randomBytes,
      })
    const [first, second] = [await open(), await open()]
    expect(await first.localCredentials()).not.toEqual(await second.localCredentials())
  })

  it('are never written over a damaged file', async () => {
    using folder = scratch()
    const file = path.join(folder.dir, 'profiles.json')
    writeFileSync(file, '{"version":1,')
    const profiles = await openProfiles({ dataDir: folder.dir, vault: keychain(), random: randomBytes })
    expect(profiles.all().map(({ id }) => id)).toEqual(['local'])
    const quarantine = openQuarantine({ folder: folder.dir, now: Date.now })
    const [entry] = quarantine.list()
    expect(entry).toMatchObject({ reason: 'damaged', paths: ['profiles.json'] })
    expect(readFileSync(quarantine.files(entry!.id)![0]!.file, 'utf8')).toBe('{"version":1,')
  })

  it('take over services without their secrets, all of them or none, and twice is once', async () => {
    using folder = scratch()
    const profiles = await openProfiles({ dataDir: folder.dir, vault: keychain(), random: randomBytes })
    await profiles.add(entry)
    const near = {
      name: 'Near',
      liveUrl: 'https://near.example',
      messagingUrl: 'https://near.example/nimserver',
      appKey: 'near',
    }
    const both = [
      { ...near },
      { name: 'Far again', liveUrl: entry.liveUrl, messagingUrl: entry.messagingUrl, appKey: entry.appKey },
    ]
    for (let round = 0; round < 2; round++) {
      await profiles.adopt(both)
      expect(profiles.all().map(({ name, secret }) => [name, secret])).toEqual([
        ['This computer', 'keychain'],
        ['Far again', 'keychain'],
        ['Near', 'missing'],
      ])
    }
    await expect(
      profiles.adopt([
        { ...near, appKey: 'other' },
        { ...near, liveUrl: 'file:///etc' },
      ]),
    ).rejects.toThrow()
    const many = Array.from({ length: profiles.free() + 1 }, (_, n) => ({ ...near, appKey: `many${n}` }))
    await expect(profiles.adopt(many)).rejects.toThrow()
    expect(profiles.all()).toHaveLength(3)
  })

  it('take over a service that differs in an address or the key as another one, without the secret', async () => {
    using folder = scratch()
    const profiles = await openProfiles({ dataDir: folder.dir, vault: keychain(), random: randomBytes })
    await profiles.add(entry)
    const { appSecret: _, ...far } = entry
    await profiles.adopt([
      { ...far, name: 'Other live', liveUrl: 'https://other.example' },
      { ...far, name: 'Other messaging', messagingUrl: 'https://other.example/nimserver' },
      { ...far, name: 'Other key', appKey: 'other' },
    ])
    expect(profiles.all().map(({ name, secret }) => [name, secret])).toEqual([
      ['This computer', 'keychain'],
      ['Far', 'keychain'],
      ['Other live', 'missing'],
      ['Other messaging', 'missing'],
      ['Other key', 'missing'],
    ])
  })

  it('are whole after a kill -9 in the middle of writing, twenty times over', async () => {
    using folder = scratch()
    const worker = fileURLToPath(new URL('../testing/profile-writer.ts', import.meta.url))
    for (let round = 0; round < 20; round++) {
      const child = fork(worker, [folder.dir], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
      await once(child, 'message')
      const wait = 1 + ((round * 7) % 40)
      await new Promise((resolve) => {
        setTimeout(resolve, wait)
      })
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      const profiles = await openProfiles({ dataDir: folder.dir, vault: keychain(), random: randomBytes })
      expect(profiles.all().length).toBeGreaterThan(1)
    }
  })
})

describe('the service of this computer', () => {
  const open = async (dataDir: string, vault: Vault = keychain()) =>
    openProfiles({ dataDir, vault, random: randomBytes })
  const at = { liveUrl: 'http://127.0.0.1:1', messagingUrl: 'http://127.0.0.1:1/nimserver' }

  it('is the first profile, with its addresses while it runs and its pair once there is one', async () => {
    using folder = scratch()
    const profiles = await open(folder.dir)
    const none = {
      id: 'local',
      kind: 'local',
      extended: true,
      media: null,
      name: 'This computer',
      liveUrl: '',
      messagingUrl: '',
      appKey: '',
    }
    expect(profiles.all()).toEqual([{ ...none, secret: 'keychain' }])
    expect(profiles.localSecret()).toBe('')
    profiles.localAt(at)
    await expect(profiles.service('local')).rejects.toMatchObject({ data: { kind: 'down' } })
    const pair = await profiles.localCredentials()
    expect(pair.appKey).toMatch(/^[0-9a-f]{32}$/)
    expect(pair.appSecret).toMatch(/^[0-9a-f]{48}$/)
    expect(await profiles.localCredentials()).toBe(pair)
    expect(profiles.find('local')).toMatchObject({ ...at, appKey: pair.appKey })
    expect(await profiles.service('local')).toEqual({ ...at, ...pair })
    expect(profiles.localSecret()).toBe(pair.appSecret)
    profiles.localAt(undefined)
    await expect(profiles.service('local')).rejects.toMatchObject({ data: { kind: 'down' } })
    expect(profiles.find('local')).toMatchObject({ liveUrl: '', messagingUrl: '' })
  })

  it('has a new pair where the kept one is damaged', async () => {
    using folder = scratch()
    const vault = keychain()
    const first = await open(folder.dir, vault)
    vault.held.set(first.entryName('local'), JSON.stringify({ appKey: 'short', appSecret: 'short' }))
    const pair = await first.localCredentials()
    expect(JSON.parse(vault.held.get(first.entryName('local'))!)).toEqual(pair)
    expect(await (await open(folder.dir, vault)).localCredentials()).toEqual(pair)
  })

  it('is no hosted profile: it can be neither changed nor removed', async () => {
    using folder = scratch()
    const profiles = await open(folder.dir)
    for (const work of [profiles.update('local', { name: 'x' }), profiles.remove('local')])
      await expect(work).rejects.toMatchObject({ data: { kind: 'absent', detail: 'no such profile' } })
    expect(() => profiles.find('nobody')).toThrow('no such profile')
    await expect(profiles.service('nobody')).rejects.toMatchObject({ data: { kind: 'absent' } })
  })

  it('alone can do what hosted ones cannot', () => {
    expect([isLocal('local'), isLocal('h')]).toEqual([true, false])
    expect(() => localOnly('local')).not.toThrow()
    expect(() => localOnly('h')).toThrow('only the service of this computer can do this')
  })
})

it('each change of profiles is told, and to nobody who has gone', async () => {
  using folder = scratch()
  const profiles = await openProfiles({ dataDir: folder.dir, vault: keychain(), random: randomBytes })
  const told: string[][] = []
  const off = profiles.on(() => void told.push(profiles.all().map(({ name }) => name)))
  const { id } = await profiles.add(entry)
  await profiles.update(id, { name: 'Farther' })
  profiles.localAt(undefined)
  const { appSecret: _, ...place } = entry
  await profiles.adopt([{ ...place, name: 'Adopted' }])
  await profiles.remove(id)
  const own = 'This computer'
  expect(told).toEqual([[own, 'Far'], [own, 'Farther'], [own, 'Farther'], [own, 'Adopted'], [own]])
  off()
  await profiles.add(entry)
  expect(told).toHaveLength(5)
})

it('takes at most 50 profiles, each with an id of its own and addresses that are ones', async () => {
  using folder = scratch()
  const vault = keychain()
  const profiles = await openProfiles({ dataDir: folder.dir, vault, random: randomBytes })
  expect(profiles.free()).toBe(50)
  for (const bad of [{ liveUrl: 'http://far.example' }, { messagingUrl: 'nonsense' }])
    await expect(profiles.add({ ...entry, ...bad })).rejects.toThrow()
  expect(vault.held.size).toBe(0)
  const added = await profiles.add(entry)
  expect(added).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    kind: 'hosted',
    extended: false,
    media: null,
    name: 'Far',
    liveUrl: 'https://live.example',
    messagingUrl: 'https://im.example/nimserver',
    appKey: 'key',
    secret: 'keychain',
  })
  const { appSecret: _, ...place } = entry
  await profiles.adopt(Array.from({ length: 49 }, (_, n) => ({ ...place, appKey: `k${n}` })))
  expect([profiles.free(), new Set(profiles.all().map(({ id }) => id)).size]).toEqual([0, 51])
  await expect(profiles.add(entry)).rejects.toMatchObject({ data: { detail: 'at most 50 profiles' } })
  await expect(profiles.update(added.id, { liveUrl: 'http://far.example' })).rejects.toThrow()
  expect(profiles.find(added.id).liveUrl).toBe('https://live.example')
})

it('a changed secret alone is kept for the same addresses', async () => {
  using folder = scratch()
  const profiles = await openProfiles({ dataDir: folder.dir, vault: keychain(), random: randomBytes })
  const { id } = await profiles.add(entry)
  expect(await profiles.update(id, { appSecret: 'changed' })).toMatchObject({ secret: 'keychain', name: 'Far' })
  expect(await profiles.service(id)).toEqual({
    liveUrl: 'https://live.example',
    messagingUrl: 'https://im.example/nimserver',
    appKey: 'key',
    appSecret: 'changed',
  })
  await profiles.remove(id)
  expect(() => profiles.find(id)).toThrow('no such profile')
})

it('keeps what a service told over a restart and a change of name, and forgets it with its place', async () => {
  using folder = scratch()
  const vault = keychain()
  const profiles = await openProfiles({ dataDir: folder.dir, vault, random: randomBytes })
  const added = await profiles.add(entry)
  const told = { media: 'https://m.example', link: 'wss://m.example/link' }
  await profiles.told(added, told)
  const again = await openProfiles({ dataDir: folder.dir, vault, random: randomBytes })
  expect(again.find(added.id)).toMatchObject({ extended: true, media: 'https://m.example' })
  expect([again.isExtended(added.id), again.linkOf(added.id)]).toEqual([true, { url: told.link, appKey: added.appKey }])
  expect(await again.update(added.id, { name: 'Farther' })).toMatchObject({ extended: true })
  expect(() => extendedOnly(again.isExtended, added.id)).not.toThrow()
  expect(await again.update(added.id, { appKey: 'another' })).toMatchObject({ extended: false, media: null })
  // An answer of the place before comes late.
  await again.told(added, told)
  expect([again.isExtended(added.id), again.linkOf(added.id)]).toEqual([false, undefined])
  expect(() => extendedOnly(again.isExtended, added.id)).toThrow('does not offer this')
  await again.told({ ...added, id: 'gone' }, told)
})

it('writes what a service told where it is new, and says so', async () => {
  using folder = scratch()
  const profiles = await openProfiles({ dataDir: folder.dir, vault: keychain(), random: randomBytes })
  const added = await profiles.add(entry)
  // Each writing makes a new file; two within one tick of the kernel have the same time.
  const written = (): bigint => statSync(path.join(folder.dir, 'profiles.json'), { bigint: true }).ino
  const told = { media: null, link: 'wss://m.example/link' }
  expect(await profiles.told(added, told)).toBe(true)
  const before = written()
  expect(await profiles.told(added, { ...told })).toBe(false)
  expect(written()).toBe(before)
  expect(await profiles.told(added, undefined)).toBe(true)
  expect(written()).not.toBe(before)
})
