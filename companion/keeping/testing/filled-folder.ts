import { systemClock } from '../../../platform/clock.ts'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { standAloneCredentials } from '../../../service/credentials.ts'
import { openQuarantine } from '../../../platform/quarantine.ts'
import { fileKeys } from '../../../service/targets/target-keys.ts'
import { createDatabaseCopies } from '../../../service/storage/database-copies.ts'
import { createSettingsFile } from '../../settings-file/settings-file.ts'
import { type Rig, until, untilKept } from '../../testing/rig.ts'

const profileId = 'local'

/** What was made in a data folder. */
export interface Filled {
  readonly cid: string
  readonly roomid: number
}

/** Uses the app until every store of its folder is there: a push, a recording, a room, accounts, receivers, a seat and settings. */
export async function fillFolder(rig: Rig): Promise<Filled> {
  await rig.companion.serviceReady(150_000)
  const { rpc } = rig.page
  const { cid } = await rpc.channels.create({ profileId, name: 'kept' })
  await rpc.recordings.configure({ profileId, cid, needRecord: true, format: 'mp4', duration: 5, filename: 'Kept' })
  // Its push ends with the encoder, not 2 min later.
  await rpc.operations.hold.updateHold({ profileId, call: { cid, holdSeconds: 0 } })
  const { text } = await rpc.push.copy({ profileId, cid, part: 'url' })
  const input = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=30', '-f', 'lavfi', '-i', 'sine=frequency=440']
  const output = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-g',
    '30',
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
    '-f',
    'flv',
    text ?? '',
  ]
  const encoder = spawn('ffmpeg', ['-nostdin', '-loglevel', 'error', '-re', ...input, ...output], { stdio: 'ignore' })
  try {
    await untilKept(rig.page, cid)
  } finally {
    encoder.kill('SIGKILL')
  }
  await until('the recording', () => rig.page.newest('recorded'))
  await rpc.app.changeSettings({ theme: 'light' })
  await rpc.receivers.start({ profileId, host: '127.0.0.1', port: 0 })
  await rpc.copies.start({ profileId, host: '127.0.0.1', port: 0 })
  await rpc.messaging.createAccount({ profileId, call: { accid: 'mei' }, keep: true })
  const { roomid } = await rpc.rooms.create({ profileId, accid: 'host', name: 'Room', announcement: '' })
  await rpc.rooms.link({ profileId, cid, roomid })
  await rpc.rooms.setNote({ profileId, accid: 'mei', text: 'a friend' })
  await rpc.rooms.act({ profileId, roomid, measure: { kind: 'announce', text: 'Hello' }, why: '' })
  await rpc.seats.invite({ profileId, roomid, accid: 'mod', name: 'Mod' })
  await rpc.obs.configure({ host: '127.0.0.1', port: 9, enabled: false, password: null })
  await rpc.messaging.upload({ profileId, content: Buffer.alloc(20_000, 7).toString('base64'), type: 'bin' })
  await rpc.computer.setTimeZone({ timeZone: 'UTC', evenOnAir: true })
  return { cid, roomid }
}

/** Adds what a service that runs alone keeps besides: its key pair, keys of targets, and a copy of its database. */
export async function addStandAlone(dataDir: string): Promise<void> {
  const log = { info: () => undefined, warn: () => undefined }
  const quarantine = openQuarantine({ folder: dataDir, now: () => Date.now() })
  const none = { targets: [], isReplaced: () => false, quarantine, log }
  const target = { cid: 'a'.repeat(32), targetId: 1, url: 'rtmp://live.example/app' }
  await (await fileKeys(dataDir, none)).set(target, 'live_of_a_target')
  standAloneCredentials(dataDir, {}, { info: () => undefined, warn: () => undefined })
  const copies = createDatabaseCopies({
    dataDir,
    clock: systemClock,
    log: { info: () => undefined, warn: () => undefined },
  })
  try {
    if ((await copies.make()) !== 'made') throw new Error('there is no copy of the database')
  } finally {
    await copies.close()
  }
}

/** Leaves an import of the settings that there are as a kill in the middle of it does. */
export async function leaveImport(rig: Rig): Promise<void> {
  const { text } = await rig.page.rpc.computer.exportSettings({ layout: {} })
  const settings = rig.page.newest('settings')!.settings
  const importing = createSettingsFile({
    home: rig.dataDir,
    version: '0.0.0',
    now: Date.now,
    random: randomBytes,
    settings: { value: () => settings, change: () => new Promise(() => undefined), usual: settings },
    profiles: { all: () => [], free: () => 10, adopt: () => Promise.reject(new Error('it ends before')) },
  })
  const { handle } = importing.readSettings({ text, layout: {} })
  importing.importSettings({ handle: handle! }).catch(() => undefined)
  await until('the import to begin', () => existsSync(path.join(rig.dataDir, 'import.json')))
}
