import { z } from 'zod'
import { forPage } from './procedure.ts'
import { reasonSchema } from './reason.ts'

/** Bytes and files of one kind in the data folder. */
const Amount = z.object({ bytes: z.number(), files: z.number() })
/** A listener of the embedded service with its own port. */
export const ServiceListener = z.enum(['api', 'media', 'rtmp'])

/** Size of the data folder, and free bytes of its disk. */
export const FolderUse = z.object({
  recordings: Amount,
  files: Amount,
  databases: Amount,
  other: Amount,
  free: z.number(),
  total: z.number(),
})
export type FolderUse = z.infer<typeof FolderUse>

/**
 * Why data cannot move to a folder. `named`: the folder is set on the command line. `relative`: not an absolute path.
 * `same`, `inside`, `around`: the current folder, within it, or around it. `app`: belongs to the app. `data`: already
 * has Sidestage's data. `file`: not a folder. `occupied`: our folder name is used for something else. `network`:
 * databases can be damaged on network drives. `name`: Windows cannot represent the name in `detail`. `link`: the data
 * contains a link. `refused`: not writable. `space`: too little space.
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
export type FolderFault = z.infer<typeof FolderFault>

/** A chosen folder, checked but not changed. */
export const FolderPlan = z.object({
  /** Names the folder for `moveFolder`; null with a fault. Valid until the next one. */
  handle: z.string().nullable(),
  /** Target: the chosen folder if empty, else `Sidestage` within it. */
  path: z.string(),
  fault: FolderFault.nullable(),
  /** Bytes to copy, free bytes, and bytes reserved for recording. */
  need: z.number(),
  free: z.number(),
  spare: z.number(),
  /** The path for `link`, the name for `name`. */
  detail: z.string().nullable(),
})
export type FolderPlan = z.infer<typeof FolderPlan>

/** Progress of a move of the data folder. */
export const FolderMove = z.object({
  /** `stopping`: the service ends; `switching`: can no longer be cancelled. */
  phase: z.enum(['stopping', 'copying', 'checking', 'switching']),
  to: z.string(),
  /** Bytes copied, or verified, in this phase. */
  bytes: z.number(),
  total: z.number(),
})
export type FolderMove = z.infer<typeof FolderMove>

/** Result of the last move since the app started. */
export const FolderMoved = z.object({
  /** `interrupted`: the app ended during the move; the data stayed in place. */
  outcome: z.enum(['moved', 'cancelled', 'failed', 'interrupted']),
  to: z.string(),
  reason: reasonSchema('move').nullable(),
})
export type FolderMoved = z.infer<typeof FolderMoved>

/** Settings of this computer, and the progress of a move. */
export const ThisComputer = z.object({
  folder: z.object({
    path: z.string(),
    /** Default folder; the app's settings stay in its parent. */
    usual: z.string(),
    /** Set with --data, so it cannot be moved here. */
    named: z.boolean(),
    /** False while its disk is missing. */
    present: z.boolean(),
    /** The old copy after a move. */
    old: z.object({ path: z.string(), at: z.number() }).nullable(),
  }),
  move: FolderMove.nullable(),
  moved: FolderMoved.nullable(),
  ports: z.array(
    z.object({
      listener: ServiceListener,
      /** Default. */
      usual: z.number(),
      chosen: z.number().nullable(),
      /** Set on the command line, which has precedence. */
      named: z.boolean(),
    }),
  ),
  timeZone: z.object({ chosen: z.string().nullable(), system: z.string() }),
})
export type ThisComputer = z.infer<typeof ThisComputer>

/** Result of a change that restarts the service. */
export const ServiceChange = z.object({
  /**
   * `onAir`: would end a push; needs `evenOnAir`. `moving`: the data folder is being moved. `taken`: another program
   * (`by`) has the port of `listener`. `refused`: by the system. `twice`: two listeners with one port. `named`: set on
   * the command line. `unknown`: no such time zone. `notRunning`: stored, but the service did not start in time.
   */
  outcome: z.enum(['done', 'onAir', 'moving', 'taken', 'refused', 'twice', 'named', 'unknown', 'notRunning']),
  listener: ServiceListener.nullable(),
  by: z.enum(['callbacks', 'copies', 'moderators', 'other']).nullable(),
})
export type ServiceChange = z.infer<typeof ServiceChange>

/** Where secrets are kept: `session`: in memory only, with the reason; `detail`: message of the system. */
const SecretMode = z.object({
  kind: z.enum(['keychain', 'session']),
  reason: z.enum(['noBus', 'unavailable', 'locked', 'denied', 'chosen']).nullable(),
  detail: z.string().nullable(),
})

/** Entries of the keychain by use. */
export const SecretReport = z.object({
  mode: SecretMode,
  store: z.enum(['keychain', 'credentialManager', 'secretService']),
  /** `own`: local service; `joined`: joined rooms; `left`: removed profiles; `others`: other data folders. */
  entries: z
    .array(
      z.object({
        kind: z.enum([
          'own',
          'profiles',
          'signingKeys',
          'tokens',
          'targets',
          'obs',
          'certificate',
          'joined',
          'left',
          'others',
        ]),
        count: z.number(),
      }),
    )
    .nullable(),
})
export type SecretReport = z.infer<typeof SecretReport>

/** Result of writing, reading and deleting a test entry. */
export const SecretTest = z.object({
  /** Current mode; may differ from that of this session. */
  mode: SecretMode,
  milliseconds: z.number(),
})
export type SecretTest = z.infer<typeof SecretTest>

/** Layout that pages remember: the picture above a room's own window. */
export const Layout = z.strictObject({ roomPicture: z.enum(['shown', 'hidden']).optional() })
export type Layout = z.infer<typeof Layout>

/** A change by a settings file; values as in the file, null for none. */
export const SettingsChange = z.object({
  part: z.enum(['settings', 'profiles', 'layout']),
  /** Name of the setting, or of the profile. */
  name: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
})
export type SettingsChange = z.infer<typeof SettingsChange>

/** A settings file, parsed but not applied. */
export const SettingsPlan = z.object({
  /** For `importSettings`; null if the file is unusable. */
  handle: z.string().nullable(),
  changes: z.array(SettingsChange),
  /** `tooNew`: from a newer Sidestage; `unknown`, `unfit`: unknown setting or invalid value at `where`. */
  fault: z.enum(['notJson', 'notOurs', 'tooNew', 'unknown', 'unfit', 'profiles']).nullable(),
  where: z.string().nullable(),
})
export type SettingsPlan = z.infer<typeof SettingsPlan>

const portOrNone = z.number().int().min(1).max(65_535).nullable()
const done = z.object({ done: z.boolean() })

/** Data folder, ports, time zone, keychain, settings file. Settings are in `computer` events. */
export const computerProcedures = {
  folderUse: forPage('Measures the data folder.').output(FolderUse),
  showFolder: forPage("Shows the data folder in the system's file manager; only with `showInFolder`.").output(z.void()),
  chooseFolder: forPage(
    "Lets the user choose a folder in the system's dialog; only with `chooseFolder`. Null if cancelled.",
  ).output(FolderPlan.nullable()),
  typeFolder: forPage('Checks a typed folder; only in a shell without that dialog, whose user is at this computer.')
    .input(z.strictObject({ path: z.string().min(1).max(4_096) }))
    .output(FolderPlan),
  moveFolder: forPage(
    "Begins a move; false if not possible now, `old` if the fate of the last move's copy is " +
      'undecided. Progress is in `computer` events.',
  )
    .input(z.strictObject({ handle: z.string().min(1).max(64) }))
    .output(
      z.object({
        begun: z.boolean(),
        refused: z.enum(['onAir', 'recording', 'merging', 'moving', 'old', 'unknown']).nullable(),
      }),
    ),
  cancelMove: forPage('Cancels a move; false if too late, or none runs.').output(done),
  removeOldCopy: forPage('Deletes the old copy, or keeps and forgets it.')
    .input(z.strictObject({ keep: z.boolean() }))
    .output(done),
  useUsualFolder: forPage(
    'Returns to the default folder while the moved one is missing, with its data or a new start.',
  ).output(done),
  setPorts: forPage('Sets ports, null for the default. Restarts the service.')
    .input(z.strictObject({ api: portOrNone, media: portOrNone, rtmp: portOrNone, evenOnAir: z.boolean() }))
    .output(ServiceChange),
  setTimeZone: forPage(
    "Sets the time zone of displayed times and file names, null for the system's. Restarts the service.",
  )
    .input(z.strictObject({ timeZone: z.string().min(1).max(64).nullable(), evenOnAir: z.boolean() }))
    .output(ServiceChange),
  secrets: forPage('Which secrets are kept and where; never their values.').output(SecretReport),
  testSecrets: forPage('Writes, reads and deletes an entry of no worth in the keychain.').output(SecretTest),
  removeLeftSecrets: forPage('Removes entries of removed profiles.').output(SecretReport),
  exportSettings: forPage("The app's settings, profiles without secrets, and layout, as the text of a file.")
    .input(z.strictObject({ layout: Layout }))
    .output(z.object({ name: z.string(), text: z.string() })),
  readSettings: forPage('Lists the changes of such a file without applying it.')
    .input(z.strictObject({ text: z.string().max(100_000), layout: Layout }))
    .output(SettingsPlan),
  importSettings: forPage('Applies the last file read, all or nothing.')
    .input(z.strictObject({ handle: z.string().min(1).max(64) }))
    .output(z.object({ layout: Layout })),
  resetSettings: forPage("Resets the app's settings; profiles and settings of this computer stay.").output(z.void()),
}
