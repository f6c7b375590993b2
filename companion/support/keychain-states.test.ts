import { expect, it } from 'vitest'
import type { Vault } from '../secrets/vault.ts'
import { VaultRefused } from '../secrets/vault.ts'
import { failureOf, type Rig, scratch, startRig, until } from '../testing/rig.ts'

const profileId = 'local'
const far = {
  name: 'Far',
  liveUrl: 'https://live.example',
  messagingUrl: 'https://im.example/nimserver',
  appKey: 'far-key',
  appSecret: 'the-secret-of-far',
}

/** A keychain that outlives the apps over it, and that may refuse. */
function keychain() {
  const held = new Map<string, string>()
  const state = { refuses: undefined as 'locked' | 'denied' | undefined }
  const asked = <T>(answer: () => T): Promise<T> =>
    state.refuses === undefined
      ? Promise.resolve(answer())
      : Promise.reject(new VaultRefused(state.refuses, `the keychain is ${state.refuses}`))
  const vault: Vault = {
    mode: { kind: 'keychain' },
    get: (account) => asked(() => held.get(account)),
    set: (account, secret) => asked(() => void held.set(account, secret)),
    delete: (account) => asked(() => void held.delete(account)),
    names: () => asked(() => [...held.keys()]),
    test: () => Promise.resolve({ kind: 'keychain' }),
  }
  return { held, state, vault }
}
async function started(dir: string, vault: Vault): Promise<Rig> {
  const rig = await startRig(dir, { vault })
  expect(await rig.companion.serviceReady(40_000)).toBeDefined()
  await until('the service', () => rig.page.newest('profiles', ({ profiles }) => profiles[0]?.liveUrl !== ''))
  return rig
}
const shown = (rig: Rig, name: string): string | undefined =>
  rig.page.newest('profiles')?.profiles.find((each) => each.name === name)?.secret
const told = async (rig: Rig): Promise<unknown> =>
  JSON.parse(
    (await rig.page.rpc.support.bundle()).parts.find(({ about }) => about === 'profiles')?.text ?? '',
  ) as unknown

it('starts while the keychain is locked or denied, says so, and works for this session', async () => {
  const tried = async (refuses: 'locked' | 'denied'): Promise<void> => {
    using folder = scratch()
    const chain = keychain()
    chain.state.refuses = refuses
    const rig = await started(folder.dir, chain.vault)
    const { rpc } = rig.page
    expect(shown(rig, 'This computer')).toBe('session')
    expect(await told(rig)).toMatchObject([{ id: profileId, kept: 'session' }])
    const { cid } = await rpc.channels.create({ profileId, name: 'Night' })
    expect((await rpc.push.reveal({ profileId, cid })).key).toContain('wsSecret=')
    expect(await failureOf(rpc.profiles.add(far))).toMatchObject({
      kind: 'keychain',
      detail: `the keychain is ${refuses}`,
    })
    // It is opened while the app runs.
    chain.state.refuses = undefined
    expect(await rpc.profiles.add(far)).toMatchObject({ secret: 'keychain' })
    await rig.close()
  }
  await Promise.all([tried('locked'), tried('denied')])
})

it('misses what was deleted from the keychain or is in another one, says which, and has it again when it is entered', async () => {
  using folder = scratch()
  const before = keychain()
  let rig = await started(folder.dir, before.vault)
  const { id } = await rig.page.rpc.profiles.add(far)
  const { cid } = await rig.page.rpc.channels.create({ profileId, name: 'Night' })
  const [first] = rig.handed
  await rig.close()

  // Another backend, which has nothing of all that.
  const after = keychain()
  rig = await started(folder.dir, after.vault)
  expect([shown(rig, 'This computer'), shown(rig, 'Far')]).toEqual(['keychain', 'missing'])
  expect(await failureOf(rig.page.rpc.profiles.test({ profileId: id }))).toMatchObject({ kind: 'secret' })
  expect(rig.handed[0]?.appSecret).not.toBe(first?.appSecret)
  expect((await rig.page.rpc.channels.list({ profileId })).channels.map((channel) => channel.cid)).toEqual([cid])
  expect(await rig.page.rpc.profiles.update({ profileId: id, appSecret: far.appSecret })).toMatchObject({
    secret: 'keychain',
  })
  // Deleted while the app runs: what is asked for next says so.
  for (const name of after.held.keys()) if (name.endsWith(id)) after.held.delete(name)
  expect(await failureOf(rig.page.rpc.profiles.test({ profileId: id }))).toMatchObject({ kind: 'secret' })
  await rig.close()
})

it('makes its own keys at random in each data folder, and two folders over one keychain know nothing of each other', async () => {
  using one = scratch()
  using two = scratch()
  const { held, vault } = keychain()
  const rigs = await Promise.all([started(one.dir, vault), started(two.dir, vault)])
  const random = await Promise.all(
    rigs.map(async ({ handed, page: { rpc } }) => {
      const { cid } = await rpc.channels.create({ profileId, name: 'Night' })
      const { key } = await rpc.push.reveal({ profileId, cid })
      const { signKey } = await rpc.receivers.signKey({ profileId })
      return [handed[0]?.appKey, handed[0]?.appSecret, signKey, /wsSecret=([0-9a-f]+)/.exec(key)?.[1]]
    }),
  )
  for (const secret of random.flat()) expect(secret?.length).toBeGreaterThanOrEqual(32)
  expect(new Set(random.flat()).size).toBe(8)

  // Everything that a profile ever had in the keychain goes with it; what is of the other folder stays.
  const own = new Set(held.keys())
  const { id } = await rigs[0].page.rpc.profiles.add(far)
  const other = await rigs[1].page.rpc.profiles.add(far)
  await rigs[0].page.rpc.receivers.setSignKey({ profileId: id, signKey: 'a-signing-key', atService: false })
  expect([...held.keys()].filter((name) => !own.has(name))).toHaveLength(3)
  await rigs[0].page.rpc.profiles.remove({ profileId: id })
  await until('nothing left of it', () => [...held.keys()].every((name) => !name.includes(id)))
  expect([...held.keys()].filter((name) => !own.has(name))).toEqual([
    expect.stringMatching(new RegExp(`:${other.id}$`)) as string,
  ])
  for (const rig of rigs) await rig.close()
})
