import { eventIterator, type InferContractRouterInputs } from '@orpc/contract'
import { z } from 'zod'
import { cid, onChannel, onProfile, profileId } from './ids.ts'
import { maxAddress } from '../web-link.ts'
import { accessProcedures } from './access.ts'
import { ApiCall, consoleParameters } from './console-state.ts'
import { copyProcedures } from './copies.ts'
import { healthProcedures } from './health.ts'
import { keepingProcedures } from './keeping.ts'
import { joinedProcedures } from './joined.ts'
import { messagingProcedures } from './messaging.ts'
import { named } from './named.ts'
import { obsProcedures } from './obs.ts'
import { operationProcedures } from './operations.ts'
import { receiverProcedures } from './receivers.ts'
import { recordingProcedures } from './recordings.ts'
import { roomProcedures } from './rooms.ts'
import { seatProcedures } from './seats.ts'
import { secret } from './secret.ts'
import { supportProcedures } from './support.ts'
import { targetProcedures } from './targets.ts'
import { AppEvent } from './events.ts'
import { About, Channel, Profile, Settings } from './state.ts'
import { computerProcedures } from './this-computer.ts'
import { forModerators, forPage } from './procedure.ts'

export * from './console-state.ts'
export * from './copies.ts'
export * from './desktop.ts'
export * from './events.ts'
export * from './health.ts'
export * from './hold.ts'
export * from './joined.ts'
export * from './keeping.ts'
export * from './measures.ts'
export * from './messaging.ts'
export * from './obs.ts'
export * from './procedure.ts'
export * from './receivers.ts'
export * from './recording-state.ts'
export * from './rooms.ts'
export * from './seats.ts'
export * from './state.ts'
export * from './support.ts'
export * from './targets.ts'
export * from './this-computer.ts'

const url = z.string().min(1).max(1024)
const cids = z.array(cid).min(1).max(1000)

const Batch = z.object({
  results: z.array(z.object({ cid: z.string(), ok: z.boolean(), code: z.number().nullable() })),
})

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
      '`record`: its pushes are recorded, as the settings have it for new channels. `recording`: what became of ' +
        'that; `failed`: created, but it could not be set. `hold`: the 2 min of hold could not be set.',
    )
      .input(z.strictObject({ profileId, name: z.string().max(256), record: z.boolean().optional() }))
      .output(
        z.object({
          cid: z.string(),
          recording: z.enum(['asIs', 'on', 'failed']),
          hold: z.literal('failed').optional(),
        }),
      ),
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
    replaceKey: forPage('Revokes every address of the channel; extended services only.')
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
  recordings: recordingProcedures,
  keeping: keepingProcedures,
  receivers: receiverProcedures,
  copies: copyProcedures,
  health: healthProcedures,
  operations: operationProcedures,
  messaging: messagingProcedures,
  rooms: roomProcedures,
  seats: seatProcedures,
  joined: joinedProcedures,
  obs: obsProcedures,
  targets: targetProcedures,
  access: accessProcedures,
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
/** Inputs of the procedures, as their handlers get them. */
export type RpcInputs = InferContractRouterInputs<Rpc>
/** A push address without its secrets. */
export type PushCard = z.infer<typeof PushCard>
/** Result for each channel of a batch. */
export type BatchReport = z.infer<typeof Batch>
