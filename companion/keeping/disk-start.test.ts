import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { DiskFault, type DiskFaultKind } from '../../platform/disk-fault.ts'
import { openQuarantine } from '../../platform/quarantine.ts'
import { standAloneCredentials } from '../../service/credentials.ts'
import { createLog } from '../../service/log.ts'
import { createService } from '../../service/root.ts'
import { claimInstance } from '../instance/instance.ts'
import { scratch, startRig } from '../testing/rig.ts'
import { smallDisk } from '../../platform/testing/small-disk.ts'

const main = fileURLToPath(new URL('../../service/main.ts', import.meta.url))
const free = { host: '127.0.0.1', port: 0 }
const profileId = 'local'
const isRoot = process.platform === 'linux' && process.getuid?.() === 0

/** A start as the app makes it: the lock first, then everything else. Answers why it was refused. */
async function startApp(home: string): Promise<unknown> {
  let instance
  try {
    instance = claimInstance(home)
    const rig = await startRig(home)
    await rig.companion.serviceReady(150_000)
    await rig.close()
    return undefined
  } catch (error) {
    return error
  } finally {
    instance?.release()
  }
}
/** The companion alone, as where the lock could be had. */
const startCompanion = async (home: string): Promise<unknown> => {
  try {
    await (await startRig(home)).close()
    return undefined
  } catch (error) {
    return error
  }
}
async function startService(dataDir: string): Promise<unknown> {
  const log = createLog({ destination: { write: () => undefined } })
  try {
    const service = await createService({
      dataDir,
      api: free,
      media: free,
      rtmp: free,
      credentials: { appKey: 'k', appSecret: 's' },
      log,
      timeZone: 'UTC',
    })
    await service.close()
    return undefined
  } catch (error) {
    return error
  }
}
const filesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(
        (entry) =>
          entry.isFile() && !/^(?:filler|lock\.db|app-lock\.db|lock\.pid)$|-(?:shm|wal|journal)$/.test(entry.name),
      )
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(folder, file), readFileSync(file).toString('base64')]),
  )

/** Stores that are damaged while nothing can be set aside, and how. */
const damaged: Readonly<Record<string, (file: string) => void>> = {
  'settings.json': (file) => truncateSync(file, 5),
  'computer.json': (file) => writeFileSync(file, '{"version":1,"folder":'),
  'computer-copy.json': (file) => writeFileSync(file, 'no'),
  'stores.json': (file) => writeFileSync(file, '[]'),
  'receivers.db': (file) => writeFileSync(file, Buffer.alloc(8192, 7)),
  'actions.db': (file) => rmSync(file),
  'profiles.json': (file) => rmSync(file),
}

it.skipIf(!isRoot)(
  'on a disk that is full or can only be read every start says so in a sentence, loses nothing, and is as before when the disk is well',
  async () => {
    using at = scratch()
    const home = path.join(at.dir, 'home')
    const dataDir = path.join(home, 'service')
    const disk = smallDisk(home, 64)
    const states: readonly (readonly [DiskFaultKind, () => void, () => void])[] = [
      ['full', () => disk.fill(), () => disk.empty()],
      [
        'readOnly',
        () => execFileSync('mount', ['-o', 'remount,ro', home]),
        () => execFileSync('mount', ['-o', 'remount,rw', home]),
      ],
    ]
    const faults: string[] = []
    const refused = (what: string, kind: DiskFaultKind, folder: string, error: unknown): void => {
      if (!(error instanceof DiskFault) || error.kind !== kind || !error.message.includes(folder))
        faults.push(`${what}, ${kind}: ${String(error)}`)
    }
    try {
      const rig = await startRig(home)
      await rig.companion.serviceReady(150_000)
      await rig.page.rpc.channels.create({ profileId, name: 'kept' })
      await rig.page.rpc.app.changeSettings({ theme: 'light' })
      await rig.page.rpc.computer.setTimeZone({ timeZone: 'UTC', evenOnAir: true })
      await rig.companion.serviceReady(150_000)
      await rig.page.rpc.receivers.start({ profileId, host: '127.0.0.1', port: 0 })
      await rig.close()
      for (const [kind, begin, end] of states) {
        const whole = filesOf(home)
        begin()
        refused('the app', kind, home, await startApp(home))
        refused('the companion', kind, home, await startCompanion(home))
        refused('the service', kind, dataDir, await startService(dataDir))
        for (const name of ['new', path.join('new', 'below')])
          refused('a new service', kind, path.join(dataDir, name), await startService(path.join(dataDir, name)))
        const alone = spawnSync(
          process.execPath,
          [main, '--data', dataDir, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
          { encoding: 'utf8' },
        )
        if (alone.status !== 1 || !alone.stderr.split('\n').some((line) => line.startsWith(`the disk of ${dataDir} `)))
          faults.push(`a service that runs alone, ${kind}: ${alone.status} ${alone.stderr}`)
        end()
        if (JSON.stringify(filesOf(home)) !== JSON.stringify(whole)) faults.push(`${kind}: something was changed`)
        for (const [name, damage] of Object.entries(damaged)) {
          const file = path.join(home, name)
          const before = readFileSync(file)
          damage(file)
          const left = filesOf(home)
          begin()
          refused(`${name} damaged`, kind, home, await startCompanion(home))
          end()
          if (JSON.stringify(filesOf(home)) !== JSON.stringify(left))
            faults.push(`${name} damaged, ${kind}: something was changed`)
          writeFileSync(file, before)
        }
        const credentials = path.join(dataDir, 'credentials.json')
        writeFileSync(credentials, '{')
        begin()
        expect(() => standAloneCredentials(dataDir, {}, { info: () => undefined, warn: () => undefined })).toThrow()
        end()
        expect(readFileSync(credentials, 'utf8')).toBe('{')
        rmSync(credentials)
      }
      expect(faults).toEqual([])
      // Nothing was set aside, and no attempt left a lock or a folder behind.
      expect(openQuarantine({ folder: home, now: Date.now }).list()).toEqual([])
      expect(existsSync(path.join(home, 'quarantine'))).toBe(false)
      expect(await startApp(home)).toBe(undefined)
    } finally {
      disk.remove()
    }
  },
  120_000,
)
