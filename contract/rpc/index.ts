import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { recordings } from '../operations/recordings.ts'
import { maxAddress } from '../web-link.ts'
import { ApiCall, consoleParameters } from './console-state.ts'
import {
  DeletedChannel,
  ListedFile,
  Marker,
  MergeBoard,
  OutgoingCallbacks,
  RecordedFile,
  RecordingState,
  Retention,
} from './recording-state.ts'
import { copyProcedures } from './copies.ts'
import { healthProcedures } from './health.ts'
import { keepingProcedures } from './keeping.ts'
import { joinedProcedures } from './joined.ts'
import { messagingProcedures } from './messaging.ts'
import { isNoneOrSeen, named, unseen } from './named.ts'
import { obsProcedures } from './obs.ts'
import { operationProcedures } from './operations.ts'
import { roomProcedures } from './rooms.ts'
import { seatProcedures } from './seats.ts'
import { secret } from './secret.ts'
import { supportProcedures } from './support.ts'
import { AppEvent } from './events.ts'
import { About, Channel, Delivery, Profile, Receiver, Settings } from './state.ts'
import { computerProcedures } from './this-computer.ts'
import { forModerators, forPage } from './procedure.ts'

export * from './console-state.ts'
export { type CopyReceiver, type ReceivedCopy } from './copies.ts'
export { AppEvent, type EventFor } from './events.ts'
export { type DesktopState, GlobalCommand, GlobalKey, NoticeKind } from './desktop.ts'
export { type HealthSample, type PushTurn } from './health.ts'
export { type JoinedSeat, type JoinOutcome } from './joined.ts'
export { type KeptAside, type SetAside } from './keeping.ts'
export { type LinkSession } from './messaging.ts'
export { type ObsState } from './obs.ts'
export * from './recording-state.ts'
export { MeasureCall, type LoggedDeed, type Measure, type RoomAction } from './measures.ts'
export { type ListedRoom, type RoomCopies, type RoomDesk, type RoomPush, type RoomSecond } from './rooms.ts'
export {
  type Invitation,
  type OwedStep,
  type RevokeStep,
  type Seat,
  type SeatBoard,
  type SeatListener,
} from './seats.ts'
export { type SupportBundle } from './support.ts'
export * from './state.ts'
export {
  type FolderFault,
  type FolderMove,
  type FolderMoved,
  type FolderPlan,
  type FolderUse,
  Layout,
  type SecretReport,
  type SecretTest,
  type ServiceChange,
  type SettingsChange,
  type SettingsPlan,
  type ThisComputer,
} from './this-computer.ts'
export * from './procedure.ts'

const cid = z.string().regex(/^[0-9a-f]{32}$/)
const profileId = z.string().min(1).max(64)
const url = z.string().min(1).max(1024)
const cids = z.array(cid).min(1).max(1000)
const vid = z.number().int().min(1)
/** Channels per request of files or markers: the lanes of one screen. */
const lanes = z.array(cid).min(1).max(200)
const time = z.number().int().min(0)
const range = z.strictObject({ profileId, cids: lanes, beginTime: time, endTime: time })
const { setAlwaysRecord, merge } = recordings

const onProfile = z.strictObject({ profileId })
const onChannel = z.strictObject({ profileId, cid })
const Batch = z.object({
  results: z.array(z.object({ cid: z.string(), ok: z.boolean(), code: z.number().nullable() })),
})

/** Push address without its secrets. */
const PushCard = z.object({
  server: z.string(),
  /** First characters of the key; the rest is masked. */
  keyStart: z.string(),
  /** Its last characters, to tell keys apart. */
  keyEnd: z.string(),
  expires: z.number().nullable(),
})
const SecretPart = z.enum(['key', 'url'])

/** What a page may ask of the companion. Only `reveal`, `copy` and `signKey` answer with a secret. */
export const rpc = {
  app: {
    about: forModerators('Which app, shell and seat this page belongs to.', { names: 'nothing', isLight: true }).output(
      About,
    ),
    events: forModerators('What happens from now on, beginning with the present state of every slice.', {
      names: 'nothing',
      isLight: true,
    })
      .input(z.strictObject({ audience: z.literal('desktop') }).optional())
      .output(eventIterator(AppEvent)),
    changeSettings: forPage('Changes settings of the app; answers all of them.')
      .input(Settings.partial())
      .output(Settings),
    open: forPage("Reports which channel Studio shows, for the tray's lamp.")
      .input(z.object({ cid: z.string().min(1).max(64) }))
      .output(z.void()),
    restartService: forPage('Restarts the embedded service.').output(z.void()),
    recoverDatabase: forPage(
      'Replaces an unusable main database by a copy, or with null by a new one; the old one is quarantined.',
    )
      .input(z.strictObject({ copy: z.string().min(1).max(64).nullable() }))
      .output(z.void()),
    serviceLog: forPage("Last lines of the service's log, newest last, without secrets.").output(z.array(z.string())),
    cancelDownload: forPage("Calls the fetch of the desktop window's binary off.").output(z.void()),
    checkUpdate: forPage('Checks for an update; progress is in `update` events.').output(z.void()),
    installUpdate: forPage(
      'Installs the update and restarts; false while on air or recording, or if nothing is ready.',
    ).output(z.object({ installing: z.boolean() })),
    openLink: forPage("Opens an address accepted by `readWebLink` in the system's browser.")
      .input(z.strictObject({ url: z.string().min(1).max(maxAddress) }))
      .output(z.void()),
  },
  profiles: {
    check: forPage('Checks a hosted service with one signed call; stores nothing.')
      .input(
        z.strictObject({
          liveUrl: url,
          messagingUrl: url,
          appKey: z.string().min(1).max(128),
          appSecret: secret(z.string().min(1).max(256)),
        }),
      )
      .output(z.object({ channels: z.number() })),
    add: forPage('Keeps a hosted service; its secret goes to the keychain.')
      .input(
        z.strictObject({
          name: named(64),
          liveUrl: url,
          messagingUrl: url,
          appKey: z.string().min(1).max(128),
          appSecret: secret(z.string().min(1).max(256)),
        }),
      )
      .output(Profile),
    update: forPage('Changing the address or AppKey without the secret invalidates the stored one (`secret: missing`).')
      .input(
        z.strictObject({
          profileId,
          name: named(64).optional(),
          liveUrl: url.optional(),
          messagingUrl: url.optional(),
          appKey: z.string().min(1).max(128).optional(),
          appSecret: secret(z.string().min(1).max(256)).optional(),
        }),
      )
      .output(Profile),
    remove: forPage('Forgets a hosted service with everything that is kept of it.').input(onProfile).output(z.void()),
    test: forPage('A signed call with the stored secret.')
      .input(onProfile)
      .output(z.object({ channels: z.number(), milliseconds: z.number() })),
  },
  channels: {
    list: forModerators('Channels of a profile; a moderator sees the one of their room.', { names: 'profile' })
      .input(onProfile)
      .output(z.object({ channels: z.array(Channel), total: z.number() })),
    create: forPage(
      '`recording`: whether its pushes are recorded, by the settings for new channels; `failed`: ' +
        'created, but that could not be set.',
    )
      .input(z.strictObject({ profileId, name: z.string().max(256) }))
      .output(z.object({ cid: z.string(), recording: z.enum(['asIs', 'on', 'failed']) })),
    rename: forPage('Gives a channel another name.')
      .input(z.strictObject({ profileId, cid, name: z.string().max(256) }))
      .output(z.void()),
    remove: forPage('Batch procedures answer for each channel, with a code if failed.')
      .input(z.strictObject({ profileId, cids }))
      .output(Batch),
    disable: forPage('Disables channels; what is pushed ends.')
      .input(z.strictObject({ profileId, cids }))
      .output(Batch),
    resume: forPage('Lets channels be pushed to again.').input(z.strictObject({ profileId, cids })).output(Batch),
  },
  push: {
    card: forPage('Server, masked key and expiry. Never renews the stored address.').input(onChannel).output(PushCard),
    reveal: forPage('The secret, for a timed reveal.')
      .input(onChannel)
      .output(z.object({ key: secret(z.string()) })),
    copy: forPage('Copies a secret to the clipboard; a shell without the `clipboard` capability passes it to the page.')
      .input(z.strictObject({ profileId, cid, part: SecretPart }))
      .output(z.object({ text: secret(z.string()).nullable() })),
    replaceKey: forPage('Revokes every address of the channel; embedded service only.')
      .input(onChannel)
      .output(PushCard),
    renew: forPage('A new address; earlier ones stay valid until they expire (`/app/address`).')
      .input(onChannel)
      .output(PushCard),
  },
  preview: {
    open: forModerators("Paths on the page's origin that relay the pull streams, for this connection.", {
      names: 'channel',
    })
      .input(onChannel)
      .output(z.object({ flv: z.string().nullable(), hls: z.string().nullable() })),
  },
  recordings: {
    state: forPage('Null if the service does not tell.').input(onChannel).output(RecordingState.nullable()),
    configure: forPage('Recording of the current and future pushes (`/app/channel/setAlwaysRecord`).')
      .input(
        z.strictObject({
          profileId,
          cid,
          needRecord: z.boolean(),
          format: z.enum(['flv', 'mp4']),
          /** Minutes. */
          duration: z
            .number()
            .int()
            .min(setAlwaysRecord.parameters.duration.min)
            .max(setAlwaysRecord.parameters.duration.max),
          filename: z.string().max(64),
        }),
      )
      .output(z.void()),
    list: forPage(
      'Files of channels within a range of at most a week, newest first; on the embedded service also ' +
        'of deleted channels.',
    )
      .input(range)
      .output(z.object({ files: z.array(RecordedFile) })),
    all: forPage(
      'Files of all channels whose recording overlaps a range, with deleted channels, newest first; ' +
        '`before` is the last entry of the previous page. Embedded service only.',
    )
      .input(
        z.strictObject({
          profileId,
          beginTime: time,
          endTime: time,
          deletedOnly: z.boolean(),
          limit: z.number().int().min(1).max(1000),
          before: z.strictObject({ begin: time, vid }).nullable(),
        }),
      )
      .output(z.object({ files: z.array(ListedFile), more: z.boolean() })),
    deletedChannels: forPage('Deleted channels with files, last deleted first; empty if the service does not tell.')
      .input(onProfile)
      .output(z.array(DeletedChannel)),
    ticket: forPage(
      "A path on the page's origin that plays a file, with ranges, for this connection; embedded service only.",
    )
      .input(z.strictObject({ profileId, vid }))
      .output(z.object({ path: z.string() })),
    show: forPage("Shows a file in the system's file manager; only with `showInFolder` and the embedded service.")
      .input(z.strictObject({ profileId, vid }))
      .output(z.void()),
    remove: forPage('Deletes files; returns the deleted ones. Embedded service only.')
      .input(z.strictObject({ profileId, vids: z.array(vid).min(1).max(1000) }))
      .output(z.object({ removed: z.array(z.number()) })),
    merge: forPage('Merges files in the order given into one of a name.')
      .input(
        z.strictObject({
          profileId,
          outputName: z.string().regex(new RegExp(merge.parameters.outputName.pattern, 'u')),
          vids: z.array(vid).min(merge.parameters.vidList.min).max(merge.parameters.vidList.max),
        }),
      )
      .output(z.void()),
    merges: forPage('Merges of the service, and when some were asked for from here.')
      .input(onProfile)
      .output(MergeBoard),
    cancelMerge: forPage('Stops a merge that runs; the embedded service only.')
      .input(z.strictObject({ profileId, taskId: z.number().int().min(1) }))
      .output(z.void()),
    mark: forPage('Adds a marker now; embedded service only.')
      .input(z.strictObject({ profileId, cid, label: z.string().max(128).refine(isNoneOrSeen, unseen) }))
      .output(Marker),
    markers: forPage('Markers of channels within a range, oldest first; empty if the service has none.')
      .input(range)
      .output(z.array(Marker)),
    renameMarker: forPage("Changes a marker's label, empty for none; embedded service only.")
      .input(z.strictObject({ profileId, markerId: vid, label: z.string().max(128).refine(isNoneOrSeen, unseen) }))
      .output(z.void()),
    removeMarker: forPage('Deletes a marker; the embedded service only.')
      .input(z.strictObject({ profileId, markerId: vid }))
      .output(z.void()),
    retention: forPage('Retention of recordings; embedded service only.').input(onProfile).output(Retention),
    setRetention: forPage('Limits how long recordings are kept; the embedded service only.')
      .input(z.strictObject({ profileId, ...Retention.shape }))
      .output(Retention),
    callbacks: forPage("The embedded service's log of callbacks, newest first.")
      .input(z.strictObject({ profileId, limit: z.number().int().min(1).max(500) }))
      .output(OutgoingCallbacks),
    resend: forPage('Delivers an entry again, to the current address.')
      .input(z.strictObject({ profileId, nId: z.string().min(1).max(64) }))
      .output(z.void()),
  },
  keeping: keepingProcedures,
  receivers: {
    state: forPage('The receiver of callbacks as it is.').input(onProfile).output(Receiver),
    start: forPage(
      'Listens at an IP address of this computer; port 0 takes any free one. An error is in the answer ' +
        '(`failed`).',
    )
      .input(
        z.strictObject({ profileId, host: z.union([z.ipv4(), z.ipv6()]), port: z.number().int().min(0).max(65_535) }),
      )
      .output(Receiver),
    stop: forPage('Stops it, also for the next start of the app.').input(onProfile).output(Receiver),
    register: forPage("Sets the service's callback address, by default the receiver's (`/app/record/setcallback`).")
      .input(z.strictObject({ profileId, url: url.optional() }))
      .output(z.object({ url: z.string() })),
    deliveries: forPage('Newest first.')
      .input(z.strictObject({ profileId, limit: z.number().int().min(1).max(500) }))
      .output(z.array(Delivery)),
    replay: forPage('Sends a genuine message to the receiver again: a duplicate.')
      .input(z.strictObject({ profileId, id: z.number().int() }))
      .output(Delivery),
    tamper: forPage('Sends a genuine message with one value changed and the old signature: a forgery.')
      .input(z.strictObject({ profileId, id: z.number().int(), field: z.string().min(1).max(64).optional() }))
      .output(Delivery),
    signKey: forPage('The signing key, on request.')
      .input(onProfile)
      .output(z.object({ signKey: secret(z.string()) })),
    setSignKey: forPage(
      'Stores the key for verification; with `atService` also sets it at the service ' +
        '(`/app/callback/setSignKey`).',
    )
      .input(z.strictObject({ profileId, signKey: secret(z.string().min(1).max(128)), atService: z.boolean() }))
      .output(z.void()),
  },
  copies: copyProcedures,
  health: healthProcedures,
  operations: operationProcedures,
  messaging: messagingProcedures,
  rooms: roomProcedures,
  seats: seatProcedures,
  joined: joinedProcedures,
  obs: obsProcedures,
  support: supportProcedures,
  computer: computerProcedures,
  console: {
    call: forPage(
      'Signs and sends one operation of the contract, by path. Parameters may be invalid: a refusal is an answer.',
    )
      .input(z.strictObject({ profileId, path: z.string().max(128), parameters: consoleParameters }))
      .output(ApiCall),
  },
}

/** Type of the RPC contract; the renderer imports only the type. */
export type Rpc = typeof rpc
/** A push address without its secrets. */
export type PushCard = z.infer<typeof PushCard>
/** Result for each channel of a batch. */
export type BatchReport = z.infer<typeof Batch>
