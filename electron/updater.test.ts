import { createRequire } from 'node:module'
import { request } from 'node:http'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AppUpdater, CancellationToken } from 'electron-updater'
import type { Update } from '../contract/rpc/index.ts'
import { systemClock } from '../platform/clock.ts'
import { scratch } from '../companion/testing/rig.ts'
import { signatureFault } from './authenticode.ts'
import { startFeed, type UpdateFeed } from './testing/update-feed.ts'
import { overElectronUpdater } from './updater.ts'
import { createUpdates, type Updates } from './updates.ts'

/** The real electron-updater on a feed of loopback; in place of Electron only its version, its folders and its requests. */
const here = createRequire(import.meta.url)
type Made = new (
  options: null,
  app: object,
) => AppUpdater & { httpExecutor: object; verifyUpdateCodeSignature?: unknown }
const {
  AppImageUpdater,
  NsisUpdater,
  CancellationToken: Token,
} = here('electron-updater') as {
  AppImageUpdater: Made
  NsisUpdater: Made
  CancellationToken: new () => CancellationToken
}
interface Executor {
  download(url: URL, destination: string, options: { cancellationToken: CancellationToken }): Promise<string>
}
const runtime = createRequire(here.resolve('electron-updater'))('builder-util-runtime') as {
  HttpExecutor: abstract new () => object
  configureRequestUrl(url: URL, options: object): void
}
class NodeExecutor extends runtime.HttpExecutor implements Executor {
  declare doDownload: (request: object, call: object, redirects: number) => void
  createRequest(options: object, callback: (response: unknown) => void) {
    return request(options, callback)
  }
  download(url: URL, destination: string, options: { cancellationToken: CancellationToken }): Promise<string> {
    return options.cancellationToken.createPromise<string>((resolve, reject, onCancel) => {
      const asked = {}
      runtime.configureRequestUrl(url, asked)
      const callback = (error: Error | null): void => {
        if (error) reject(error)
        else resolve(destination)
      }
      this.doDownload(asked, { destination, options, onCancel, responseHandler: null, callback }, 0)
    })
  }
}

let folder: ReturnType<typeof scratch>
let feed: UpdateFeed
let updates: Updates
let busy: boolean
let quits: number
let seen: Update['phase'][]
const begin = async (
  Kind: Made,
  { publisher, ofPublisher, fault }: { publisher?: string; ofPublisher?: string | null; fault?: string | null } = {},
) => {
  feed = await startFeed(folder.dir, 'cache', publisher)
  const app = {
    version: '1.4.2',
    name: 'Sidestage',
    isPackaged: true,
    appUpdateConfigPath: feed.file,
    userDataPath: folder.dir,
    baseCachePath: folder.dir,
    whenReady: () => Promise.resolve(),
    relaunch: () => undefined,
    quit: () => quits++,
    onQuit: () => undefined,
  }
  const updater = new Kind(null, app)
  updater.httpExecutor = new NodeExecutor()
  if (ofPublisher !== undefined) updater.verifyUpdateCodeSignature = () => Promise.resolve(ofPublisher)
  const choice = {
    feed: feed.file,
    isTried: true,
    platform: Kind === NsisUpdater ? ('win32' as const) : ('linux' as const),
    log: () => undefined,
  }
  updates = createUpdates({
    never: undefined,
    load: () =>
      overElectronUpdater(
        updater,
        () => new Token(),
        choice,
        () => Promise.resolve(fault ?? null),
      ),
    version: '1.4.2',
    busy: () => busy,
    clock: systemClock,
    log: () => undefined,
  })
  updates.on(({ phase }) => {
    if (seen.at(-1) !== phase) seen.push(phase)
  })
}
/** Installers that are kept to be installed. */
const kept = (): string[] =>
  readdirSync(path.join(folder.dir), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /pending.*\.(exe|AppImage)$/.test(name),
  )

beforeEach(() => {
  folder = scratch()
  process.env['APPIMAGE'] = path.join(folder.dir, 'running.AppImage')
  busy = false
  quits = 0
  seen = []
})
afterEach(async () => {
  updates.close()
  await feed.close()
  delete process.env['APPIMAGE']
  folder[Symbol.dispose]()
})

describe('a feed', () => {
  it('that offers a newer version has it fetched, its digest right, and installed only when asked', async () => {
    await begin(AppImageUpdater)
    feed.offer({ version: '1.5.0' })
    await updates.check()
    expect(updates.state()).toMatchObject({ phase: 'ready', version: '1.5.0', percent: 100 })
    expect(seen).toEqual(['checking', 'fetching', 'ready'])
    expect(kept()).toHaveLength(1)
    expect(quits).toBe(0)
  })

  it('that offers an older or the same version is not followed, and nothing of it is fetched', async () => {
    await begin(AppImageUpdater)
    for (const version of ['1.4.1', '1.4.2', '0.9.0', '9.0.0-beta.1']) {
      feed.offer({ version })
      await updates.check()
      expect(updates.state(), version).toMatchObject({ phase: 'idle', version: null })
    }
    expect(feed.asked.filter((name) => !name.endsWith('.yml'))).toEqual([])
  })

  it('that offers something else than its digest says is refused, and the app runs on', async () => {
    await begin(AppImageUpdater)
    feed.offer({ version: '1.5.0', tampered: true })
    await updates.check()
    expect(updates.state()).toMatchObject({ phase: 'failed' })
    expect(updates.state().reason).toEqual({
      code: 'digest',
      params: { system: expect.stringContaining('sha512 checksum mismatch') as string },
    })
    expect(updates.install()).toBe(false)
    expect([kept(), quits]).toEqual([[], 0])
  })

  it('is not fetched from while something is on air, and not installed from when it goes on air later', async () => {
    await begin(AppImageUpdater)
    feed.offer({ version: '1.5.0' })
    busy = true
    await updates.check()
    expect(updates.state()).toMatchObject({ phase: 'waiting', version: '1.5.0' })
    expect(feed.asked.filter((name) => !name.endsWith('.yml'))).toEqual([])
    busy = false
    await updates.check()
    expect(updates.state().phase).toBe('ready')
    busy = true
    expect(updates.install()).toBe(false)
    expect(quits).toBe(0)
  })

  it('that is not there, or says nothing that can be read, leaves the app as it is', async () => {
    await begin(AppImageUpdater)
    await updates.check()
    expect(updates.state()).toMatchObject({ phase: 'failed', version: null })
    feed.offer({ version: '"1.5.0' })
    await updates.check()
    expect(updates.state()).toMatchObject({ phase: 'failed', version: null })
  })
})

describe('on Windows a newer version', () => {
  const windows = { publisher: 'CN=Sidestage Test', ofPublisher: null, fault: null }

  it('is taken when it is signed, by who it should be', async () => {
    await begin(NsisUpdater, windows)
    feed.offer({ version: '1.5.0' })
    await updates.check()
    expect(updates.state()).toMatchObject({ phase: 'ready' })
  })

  it.each([
    [
      'is signed by somebody else',
      { ...windows, ofPublisher: 'CN=Mallory' },
      'signature',
      'not signed by the application owner: CN=Mallory',
    ],
    [
      'has no valid signature',
      { ...windows, fault: 'its signature is not valid (status 1)' },
      'signature',
      'its signature is not valid (status 1)',
    ],
    ['comes where no publisher is named', { ofPublisher: null, fault: null }, 'publisher', ''],
  ])('that %s is refused, and the app runs on', async (_what, choice, code, system) => {
    await begin(NsisUpdater, choice)
    feed.offer({ version: '1.5.0' })
    await updates.check()
    expect(updates.state()).toMatchObject({ phase: 'failed' })
    expect(updates.state().reason?.code).toBe(code)
    expect(updates.state().reason?.params['system'] ?? '').toContain(system)
    expect(updates.install()).toBe(false)
    expect([kept(), quits]).toEqual([[], 0])
  })
})

describe('the signature of a file of Windows', () => {
  const file = 'C:\\Users\\Ana\\pending\\Sidestage.exe'
  const answer = (given: object) => () => Promise.resolve(JSON.stringify({ status: 0, path: file, ...given }))

  it('is taken when Windows says that it is valid', async () => {
    expect(await signatureFault(file, answer({}))).toBeNull()
    expect(await signatureFault(file, answer({ path: file.toLowerCase() }))).toBeNull()
  })

  it('is not taken when it is none, of another file, or cannot be asked for', async () => {
    expect(await signatureFault(file, answer({ status: 2 }))).toContain('status 2')
    expect(await signatureFault(file, answer({ path: 'C:\\other.exe' }))).toContain('another file')
    for (const said of ['', 'null', '[]', '{}', '{"status":"0","path":"x"}', `{"status":null,"path":null}`])
      expect(await signatureFault(file, () => Promise.resolve(said)), said).toContain('could not be checked')
    expect(await signatureFault(file, () => Promise.reject(new Error('no PowerShell')))).toContain('no PowerShell')
    // As on this system, where there is none.
    if (process.platform !== 'win32') expect(await signatureFault(file)).toContain('could not be checked')
  })
})
