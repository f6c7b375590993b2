import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { scratch } from '../testing/rig.ts'
import { type Keychain, type KeychainPorts, openVault } from './keychain-vault.ts'

const run = promisify(execFile)
const keychain = (more: Partial<Keychain> = {}): Keychain => {
  const held = new Map<string, string>()
  return {
    getPassword: (_service, account) => Promise.resolve(held.get(account) ?? null),
    setPassword: (_service, account, password) => {
      held.set(account, password)
      return Promise.resolve()
    },
    deletePassword: (_service, account) => Promise.resolve(held.delete(account)),
    findCredentials: () => Promise.resolve([...held.keys()].map((account) => ({ account }))),
    ...more,
  }
}
const ports = (load: () => Promise<Keychain>, more: Partial<KeychainPorts> = {}): KeychainPorts => ({
  clock: systemClock,
  load,
  platform: 'win32',
  environment: {},
  random: randomBytes,
  ...more,
})

describe('a keychain that answers', () => {
  it('keeps secrets, and tells when it refuses later', async () => {
    let isLocked = false
    const base = keychain()
    const vault = await openVault(
      ports(() =>
        Promise.resolve(
          keychain({
            ...base,
            getPassword: (service, account) =>
              isLocked
                ? Promise.reject(new Error('Cannot get secret of a locked object'))
                : base.getPassword(service, account),
          }),
        ),
      ),
    )
    expect(vault.mode).toEqual({ kind: 'keychain' })
    await vault.set('a', 'secret')
    expect(await vault.get('a')).toBe('secret')
    await vault.delete('a')
    expect(await vault.get('a')).toBeUndefined()
    isLocked = true
    await expect(vault.get('a')).rejects.toMatchObject({ name: 'VaultRefused', reason: 'locked' })
  })
})

describe('a session without a keychain', () => {
  it('looks again when it is asked to, and says that the keychain works by now', async () => {
    let isThere = false
    const vault = await openVault(
      ports(() => (isThere ? Promise.resolve(keychain()) : Promise.reject(new Error('no library')))),
    )
    expect(await vault.test()).toMatchObject({ kind: 'session', reason: 'unavailable' })
    isThere = true
    expect(await vault.test()).toEqual({ kind: 'keychain' })
    // What was entered in this session stays in memory all the same.
    expect(vault.mode).toMatchObject({ kind: 'session' })
    await vault.set('a', 'secret')
    expect(await vault.names()).toEqual(['a'])
  })
})

describe('a keychain that cannot be used', () => {
  it('is a session vault that names the reason', async () => {
    const reason = async (load: () => Promise<Keychain>, more: Partial<KeychainPorts> = {}): Promise<string> => {
      const { mode } = await openVault(ports(load, more))
      return mode.kind === 'session' ? mode.reason : 'keychain'
    }
    let loads = 0
    const counted = (): Promise<Keychain> => {
      loads++
      return Promise.resolve(keychain())
    }
    expect(
      await reason(counted, { platform: 'linux', environment: { DISPLAY: ':0', XDG_RUNTIME_DIR: '/nowhere' } }),
    ).toBe('noBus')
    expect(loads).toBe(0)
    expect(await reason(() => Promise.reject(new Error('libsecret-1.so.0: cannot open shared object file')))).toBe(
      'unavailable',
    )
    expect(
      await reason(() =>
        Promise.resolve(
          keychain({
            setPassword: () =>
              Promise.reject(new Error('The name org.freedesktop.secrets was not provided by any .service files')),
          }),
        ),
      ),
    ).toBe('unavailable')
    expect(
      await reason(() =>
        Promise.resolve(
          keychain({ setPassword: () => Promise.reject(new Error('Cannot create an item in a locked collection')) }),
        ),
      ),
    ).toBe('locked')
    expect(
      await reason(() =>
        Promise.resolve(keychain({ setPassword: () => Promise.reject(new Error('User canceled the operation.')) })),
      ),
    ).toBe('denied')
    expect(await reason(() => Promise.resolve(keychain({ getPassword: () => Promise.resolve(null) })))).toBe(
      'unavailable',
    )
  })

  it('does not hold a start up when it waits for a person', async () => {
    const clock = manualClock()
    const opening = openVault(
      ports(() => Promise.resolve(keychain({ setPassword: () => new Promise(() => undefined) })), { clock }),
    )
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    clock.advance(4_000)
    expect((await opening).mode).toMatchObject({ kind: 'session', reason: 'locked' })
  })
})

/** Lets everything that is due run. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('the patience with a keychain', () => {
  it('is 4 s for its module, which is called unavailable then', async () => {
    const clock = manualClock()
    const opening = openVault(ports(() => new Promise(() => undefined), { clock }))
    let isOver = false
    opening.then(() => (isOver = true)).catch(() => undefined)
    await settle()
    clock.advance(3_999)
    await settle()
    expect(isOver).toBe(false)
    clock.advance(1)
    expect((await opening).mode).toEqual({
      kind: 'session',
      reason: 'unavailable',
      detail: 'keytar did not load in 4 s',
    })
  })

  it('is 4 s for each later call, which is called locked then, and ends with an answer', async () => {
    const clock = manualClock()
    const base = keychain()
    let hangs = false
    const slow =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      (...args: A): Promise<R> =>
        hangs ? new Promise(() => undefined) : call(...args)
    const vault = await openVault(
      ports(
        () =>
          Promise.resolve({
            getPassword: slow(base.getPassword),
            setPassword: slow(base.setPassword),
            deletePassword: slow(base.deletePassword),
            findCredentials: slow(base.findCredentials),
          }),
        { clock },
      ),
    )
    expect([vault.mode.kind, clock.waiting()]).toEqual(['keychain', 0])
    hangs = true
    for (const call of [
      () => vault.get('a'),
      () => vault.set('a', 'x'),
      () => vault.delete('a'),
      () => vault.names(),
    ]) {
      const failing = expect(call()).rejects.toMatchObject({
        reason: 'locked',
        message: 'the keychain did not answer in 4 s',
      })
      await settle()
      clock.advance(4_000)
      await failing
    }
  })
})

describe('a keychain that is tried', () => {
  it('is asked under its own service, with an entry of a random name that is removed again', async () => {
    const calls: unknown[] = []
    const held = new Map<string, string>()
    await openVault(
      ports(
        () =>
          Promise.resolve({
            getPassword: (service, account) => {
              calls.push(['get', service, account])
              return Promise.resolve(held.get(account) ?? null)
            },
            setPassword: (service, account, password) => {
              calls.push(['set', service, account])
              held.set(account, password)
              return Promise.resolve()
            },
            deletePassword: (service, account) => {
              calls.push(['delete', service, account])
              return Promise.resolve(held.delete(account))
            },
            findCredentials: () => Promise.resolve([]),
          }),
        { random: (bytes) => Buffer.alloc(bytes, 0xab) },
      ),
    )
    const probe = `probe-${'ab'.repeat(8)}`
    expect(calls).toEqual([
      ['set', 'Sidestage', probe],
      ['get', 'Sidestage', probe],
      ['delete', 'Sidestage', probe],
      ['get', 'Sidestage', probe],
    ])
    expect(held.size).toBe(0)
  })

  it('is not used where it keeps what was deleted', async () => {
    const vault = await openVault(
      ports(() => Promise.resolve(keychain({ deletePassword: () => Promise.resolve(true) }))),
    )
    expect(vault.mode).toMatchObject({ kind: 'session', reason: 'unavailable' })
  })

  it('is looked for over a session bus, by its address or by its file', async () => {
    using folder = scratch()
    writeFileSync(path.join(folder.dir, 'bus'), '')
    for (const environment of [{ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x' }, { XDG_RUNTIME_DIR: folder.dir }])
      expect(
        (await openVault(ports(() => Promise.resolve(keychain()), { platform: 'linux', environment }))).mode,
      ).toEqual({
        kind: 'keychain',
      })
    expect((await openVault(ports(() => Promise.resolve(keychain()), { platform: 'darwin' }))).mode.kind).toBe(
      'keychain',
    )
  })

  it.each([
    ['Access denied', 'denied'],
    ['Operation not permitted', 'denied'],
    ['The user is not authorized', 'denied'],
    ['User canceled the operation.', 'denied'],
    ['the collection is locked', 'locked'],
    ['The prompt was dismissed', 'locked'],
    ['no such interface', 'unavailable'],
  ])('that says "%s" is %s', async (said, reason) => {
    const failing = keychain({ setPassword: () => Promise.reject(new Error(said)) })
    expect((await openVault(ports(() => Promise.resolve(failing)))).mode).toEqual({
      kind: 'session',
      reason,
      detail: said,
    })
  })

  it('tells at most 300 characters of what it said', async () => {
    const failing = keychain({ setPassword: () => Promise.reject(new Error('x'.repeat(400))) })
    const { mode } = await openVault(ports(() => Promise.resolve(failing)))
    expect(mode.kind === 'session' && mode.detail.length).toBe(300)
  })
})

describe.skipIf(process.platform !== 'linux')('a real gnome-keyring', () => {
  const worker = fileURLToPath(new URL('../testing/keyring-worker.ts', import.meta.url))
  const inSession = async (script: string): Promise<unknown[]> => {
    using folder = scratch()
    const runtime = path.join(folder.dir, 'run')
    mkdirSync(runtime, { mode: 0o700 })
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder.dir,
      XDG_DATA_HOME: path.join(folder.dir, 'data'),
      XDG_RUNTIME_DIR: runtime,
      NODE: process.execPath,
      WORKER: worker,
    }
    const { stdout } = await run(
      'dbus-run-session',
      ['--', 'bash', '-c', `${script}; status=$?; kill $(jobs -p) 2>/dev/null; exit $status`],
      {
        env,
        timeout: 60_000,
      },
    )
    return stdout
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as unknown)
  }
  const unlocked = `printf 'pw\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null`

  it('keeps a secret from one process to the next, and forgets it when told', async () => {
    const said = await inSession(
      `${unlocked}; "$NODE" "$WORKER" set entry value-1; "$NODE" "$WORKER" get entry; "$NODE" "$WORKER" delete entry; "$NODE" "$WORKER" get entry`,
    )
    expect(said).toEqual([
      { mode: { kind: 'keychain' } },
      { mode: { kind: 'keychain' }, value: 'value-1' },
      { mode: { kind: 'keychain' } },
      { mode: { kind: 'keychain' } },
    ])
  })

  it('tells the names of its entries and nothing of what they hold, and is tried without leaving anything', async () => {
    const said = await inSession(
      `${unlocked}; "$NODE" "$WORKER" set one value-1; "$NODE" "$WORKER" set two value-2; "$NODE" "$WORKER" test; "$NODE" "$WORKER" names`,
    )
    expect(said.slice(2)).toEqual([
      { mode: { kind: 'keychain' }, value: { kind: 'keychain' } },
      { mode: { kind: 'keychain' }, value: ['one', 'two'] },
    ])
  })

  it('keeps the key of a target with its address, and forgets it with its channel', async () => {
    const said = await inSession(
      `${unlocked}; "$NODE" "$WORKER" keep 'live_1 ü/"?x=1'; "$NODE" "$WORKER" kept; "$NODE" "$WORKER" forget; "$NODE" "$WORKER" kept; "$NODE" "$WORKER" names`,
    )
    const mode = { kind: 'keychain' }
    expect(said).toEqual([
      { mode },
      { mode, value: [[{ cid: 'c'.repeat(32), targetId: 7 }], 'live_1 ü/"?x=1', null] },
      { mode },
      { mode, value: [[], null, null] },
      { mode, value: [] },
    ])
  })

  it('that was never unlocked is a named state, not a fault, also when it is tried', async () => {
    const said = await inSession('"$NODE" "$WORKER" test')
    const refused = {
      kind: 'session',
      reason: expect.stringMatching(/^(locked|unavailable|denied)$/) as string,
      detail: expect.any(String) as string,
    }
    expect(said).toEqual([{ mode: refused, value: refused }])
  })
})
