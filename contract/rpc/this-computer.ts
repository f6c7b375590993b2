import { z } from 'zod'
import { maxProxies, maxPublicAddress, rangeFault, readPublicAddress } from '../public-addresses.ts'
import { forPage } from './procedure.ts'

/** Bytes and files of one kind in the data folder. */
const Amount = z.object({ bytes: z.number(), files: z.number() })
/** A listener of the embedded service that has a port of its own. */
export const ServiceListener = z.enum(['api', 'media', 'rtmp'])

/** What the data folder takes and what its disk has left, in bytes. */
export const FolderUse = z.object({
  recordings: Amount,
  files: Amount,
  databases: Amount,
  other: Amount,
  free: z.number(),
  total: z.number(),
})
/** What the data folder takes and what its disk has left. */
export type FolderUse = z.infer<typeof FolderUse>

/**
 * Why data cannot move to a folder. `named`: the present one was named on the command line. `relative`: no whole path. `same`, `inside`, `around`:
 * it is the present folder, lies in it, or holds it. `app`: it belongs to the app itself. `data`: Sidestage's data lie there already.
 * `file`: it is no folder. `occupied`: a folder of our name stands there and holds something else. `network`: a database on a network drive can be damaged. `name`: Windows cannot keep a name in it, which `detail` has. `link`: a link stands among the data. `refused`: the
 * system does not let us write there. `space`: the disk has too little left.
 */
export const FolderFault = z.enum([
  'named',
  'relative',
  'same',
  'inside',
  'around',
  'app',
  'data',
  'file',
  'occupied',
  'network',
  'name',
  'link',
  'refused',
  'space',
])
/** Why data cannot move to a folder. */
export type FolderFault = z.infer<typeof FolderFault>

/** A folder that somebody chose, looked at and not touched. */
export const FolderPlan = z.object({
  /** Names the folder for `moveFolder`; null with a fault. Good until another is asked for. */
  handle: z.string().nullable(),
  /** Where the data would lie: the chosen folder when it is empty, else `Sidestage` within it. */
  path: z.string(),
  fault: FolderFault.nullable(),
  /** Bytes that are copied and that the disk has, and bytes that stay free for recording at least. */
  need: z.number(),
  free: z.number(),
  spare: z.number(),
  /** The path that is in the way for `link`, the name for `name`. */
  detail: z.string().nullable(),
})
/** A folder that somebody chose. */
export type FolderPlan = z.infer<typeof FolderPlan>

/** How a move of the data folder goes. */
export const FolderMove = z.object({
  /** `stopping`: the service ends; `switching`: from here on it cannot be called off. */
  phase: z.enum(['stopping', 'copying', 'checking', 'switching']),
  to: z.string(),
  /** Of the phase: bytes copied, or read back and compared. */
  bytes: z.number(),
  total: z.number(),
})
/** How a move of the data folder goes. */
export type FolderMove = z.infer<typeof FolderMove>

/** The last move since the app began: how it ended. */
export const FolderMoved = z.object({
  /** `interrupted`: the app ended in the middle of it; the data stayed where they were. */
  outcome: z.enum(['moved', 'cancelled', 'failed', 'interrupted']),
  to: z.string(),
  /** `space`, `gone`: the disk is full or away; `differs`: what was read back is not what was written; `tooLarge`: the disk takes no file of that size. */
  reason: z.enum(['space', 'refused', 'gone', 'differs', 'tooLarge', 'other']).nullable(),
  /** In words of the system. */
  detail: z.string().nullable(),
})
/** The last move since the app began. */
export type FolderMoved = z.infer<typeof FolderMoved>

/** What is set for this computer, and how a move goes. */
export const ThisComputer = z.object({
  folder: z.object({
    path: z.string(),
    /** Where it lies unless it was moved; the app's own settings stay in its parent. */
    usual: z.string(),
    /** It was named with --data, so that it is not moved from here. */
    named: z.boolean(),
    /** False while its disk is away. */
    present: z.boolean(),
    /** The copy that a move left behind. */
    old: z.object({ path: z.string(), at: z.number() }).nullable(),
  }),
  move: FolderMove.nullable(),
  moved: FolderMoved.nullable(),
  ports: z.array(
    z.object({
      listener: ServiceListener,
      /** What is taken when none is chosen. */
      usual: z.number(),
      chosen: z.number().nullable(),
      /** It was named on the command line, which wins. */
      named: z.boolean(),
    }),
  ),
  timeZone: z.object({ chosen: z.string().nullable(), system: z.string() }),
  /** How others reach the service, where a proxy stands in front of it; null, and no ranges, for nothing. */
  outside: z.object({ media: z.string().nullable(), link: z.string().nullable(), proxies: z.array(z.string()) }),
})
/** What is set for this computer. */
export type ThisComputer = z.infer<typeof ThisComputer>

/** What came of a change that restarts the service. */
export const ServiceChange = z.object({
  /**
   * `onAir`: a push would be cut, so that it must be asked for with `evenOnAir`. `moving`: the data folder is being moved. `taken`: `listener`'s
   * port has another listener, `by` says whose. `refused`: the system does not give it. `twice`: two listeners have the same. `named`:
   * the command line says it. `unknown`: no such time zone. `notRunning`: it is kept, and the service did not come up in time.
   */
  outcome: z.enum(['done', 'onAir', 'moving', 'taken', 'refused', 'twice', 'named', 'unknown', 'notRunning']),
  listener: ServiceListener.nullable(),
  by: z.enum(['callbacks', 'copies', 'moderators', 'other']).nullable(),
})
/** What came of a change that restarts the service. */
export type ServiceChange = z.infer<typeof ServiceChange>

/** Where secrets are kept: `session` is in memory only, with why; `detail` is in words of the system. */
const SecretMode = z.object({
  kind: z.enum(['keychain', 'session']),
  reason: z.enum(['noBus', 'unavailable', 'locked', 'denied', 'chosen']).nullable(),
  detail: z.string().nullable(),
})

/** Which entries the keychain has, by what they are for. */
export const SecretReport = z.object({
  mode: SecretMode,
  /** What the system calls it. */
  store: z.enum(['keychain', 'credentialManager', 'secretService']),
  /**
   * `own`: the pair of this computer's service; `joined`: of rooms on other computers; `left`: of profiles that are gone; `others`: of another data folder. Null when the keychain
   * does not answer.
   */
  entries: z
    .array(
      z.object({
        kind: z.enum(['own', 'profiles', 'signingKeys', 'tokens', 'obs', 'certificate', 'joined', 'left', 'others']),
        count: z.number(),
      }),
    )
    .nullable(),
})
/** Which entries the keychain has. */
export type SecretReport = z.infer<typeof SecretReport>

/** What writing, reading and deleting an entry of no worth came to. */
export const SecretTest = z.object({
  /** What works now; it may differ from what this session uses. */
  mode: SecretMode,
  milliseconds: z.number(),
})
/** What writing, reading and deleting an entry of no worth came to. */
export type SecretTest = z.infer<typeof SecretTest>

/** How parts of windows stand that are remembered by pages: the picture above a room's own window. */
export const Layout = z.strictObject({ roomPicture: z.enum(['shown', 'hidden']).optional() })
/** How parts of windows stand. */
export type Layout = z.infer<typeof Layout>

/** One thing that a file of settings would change; values as they stand in the file, null for none. */
export const SettingsChange = z.object({
  part: z.enum(['settings', 'profiles', 'layout']),
  /** Name of the setting, or of the profile. */
  name: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
})
/** One thing that a file of settings would change. */
export type SettingsChange = z.infer<typeof SettingsChange>

/** A file of settings, read and not yet applied. */
export const SettingsPlan = z.object({
  /** For `importSettings`; null when the file cannot be used. */
  handle: z.string().nullable(),
  changes: z.array(SettingsChange),
  /** `tooNew`: a newer Sidestage wrote it; `unknown`, `unfit`: at `where` stands something that is not known, or no value for it; `profiles`: more than there may be. */
  fault: z.enum(['notJson', 'notOurs', 'tooNew', 'unknown', 'unfit', 'profiles']).nullable(),
  where: z.string().nullable(),
})
/** A file of settings, read and not yet applied. */
export type SettingsPlan = z.infer<typeof SettingsPlan>

const portOrNone = z.number().int().min(1).max(65_535).nullable()
const publicAddress = (name: 'media' | 'link') =>
  z
    .string()
    .max(maxPublicAddress)
    .refine((given) => readPublicAddress(name, given) === given, 'no public address')
    .nullable()
const done = z.object({ done: z.boolean() })

/** Procedures about this computer: where data lie, ports, time zone, keychain, settings as a file. What is set is told by `computer` events. */
export const computerProcedures = {
  /** Reads through the data folder. */
  folderUse: forPage.output(FolderUse),
  /** Shows the data folder in the system's folder window: a shell with `showInFolder` only. */
  showFolder: forPage.output(z.void()),
  /** Has a person choose a folder in the system's dialog: a shell with `chooseFolder` only; null when nothing was chosen. */
  chooseFolder: forPage.output(FolderPlan.nullable()),
  /** Looks at a folder that was typed: only in a shell without that dialog, where whoever types sits at this computer. */
  typeFolder: forPage.input(z.strictObject({ path: z.string().min(1).max(4_096) })).output(FolderPlan),
  /** Begins to move; false when it may not begin now, `old` while it was not said what becomes of the copy that the last move left. How it goes is told by `computer` events. */
  moveFolder: forPage.input(z.strictObject({ handle: z.string().min(1).max(64) })).output(
    z.object({
      begun: z.boolean(),
      refused: z.enum(['onAir', 'recording', 'merging', 'moving', 'old', 'unknown']).nullable(),
    }),
  ),
  /** Calls a move off; false when it is too late, or none runs. */
  cancelMove: forPage.output(done),
  /** Removes what a move left behind, or leaves it and forgets it. */
  removeOldCopy: forPage.input(z.strictObject({ keep: z.boolean() })).output(done),
  /** Goes back to the usual folder while the moved one is away: what lies there is used, or a new beginning is made. */
  useUsualFolder: forPage.output(done),
  /** Ports from now on, null for the usual one. Applied by a restart of the service. */
  setPorts: forPage
    .input(z.strictObject({ api: portOrNone, media: portOrNone, rtmp: portOrNone, evenOnAir: z.boolean() }))
    .output(ServiceChange),
  /** The zone of all times that are shown and of names of recordings, null for the system's. Applied by a restart of the service. */
  setTimeZone: forPage
    .input(z.strictObject({ timeZone: z.string().min(1).max(64).nullable(), evenOnAir: z.boolean() }))
    .output(ServiceChange),
  /**
   * Addresses that viewers and callbacks are told, and proxies whose word on their clients is taken, where one with TLS stands in front of
   * the service. Its listeners and the addresses for encoders stay. Applied by a restart of the service.
   */
  setOutside: forPage
    .input(
      z.strictObject({
        media: publicAddress('media'),
        link: publicAddress('link'),
        proxies: z
          .array(z.string().refine((range) => rangeFault(range) === undefined, 'no range of addresses'))
          .max(maxProxies),
        evenOnAir: z.boolean(),
      }),
    )
    .output(ServiceChange),
  /** Which secrets are kept and where; never their values. */
  secrets: forPage.output(SecretReport),
  testSecrets: forPage.output(SecretTest),
  /** Removes entries of profiles that are gone. */
  removeLeftSecrets: forPage.output(SecretReport),
  /** The app's settings, the profiles without their secrets, and the page's layout, as the text of one file. */
  exportSettings: forPage
    .input(z.strictObject({ layout: Layout }))
    .output(z.object({ name: z.string(), text: z.string() })),
  /** Says what such a file would change; nothing is changed. */
  readSettings: forPage.input(z.strictObject({ text: z.string().max(100_000), layout: Layout })).output(SettingsPlan),
  /** Applies the file that was read last, all of it or nothing. */
  importSettings: forPage
    .input(z.strictObject({ handle: z.string().min(1).max(64) }))
    .output(z.object({ layout: Layout })),
  /** The app's settings as they were when it was new; profiles and what is set for this computer stay. */
  resetSettings: forPage.output(z.void()),
}
