/** A kind of file that is written into the app's folder or, below `service/`, into the service's data folder. */
export interface DataFile {
  readonly pattern: RegExp
  /** Names that are so, with `/` between folders. */
  readonly examples: readonly string[]
  readonly what: string
  /** Why it does not lie there after a full use: those that have no reason do. */
  readonly passing?: string
}

const rooms = 'service/recordings/0123456789abcdef0123456789abcdef'
const ofDatabases = (end: string): string[] =>
  ['actions', 'receivers', 'copies', 'room-copies'].map((name) => `${name}.db${end}`)

/** Every file that may be in the folders. `damage-walk.test.ts` damages each, and `scripts/written-files.test.ts` finds what writes others. */
export const dataFiles: readonly DataFile[] = [
  { pattern: /^profiles\.json$/, examples: ['profiles.json'], what: 'hosted services' },
  { pattern: /^settings\.json$/, examples: ['settings.json'], what: 'the settings of the app' },
  { pattern: /^import\.json$/, examples: ['import.json'], what: 'an import of settings that is being applied' },
  { pattern: /^window\.json$/, examples: ['window.json'], what: 'the place of the window' },
  { pattern: /^pop-out\.json$/, examples: ['pop-out.json'], what: "the place of a room's window" },
  {
    pattern: /^computer(?:-copy)?\.json$/,
    examples: ['computer.json', 'computer-copy.json'],
    what: 'where the data lie, twice',
  },
  {
    pattern: /^(?:service\/)?stores\.json$/,
    examples: ['stores.json', 'service/stores.json'],
    what: 'the lists of stores',
  },
  { pattern: /^obs\.json$/, examples: ['obs.json'], what: 'the connection to OBS' },
  { pattern: /^rooms\.json$/, examples: ['rooms.json'], what: 'hosted rooms and notes on people' },
  { pattern: /^accounts\.json$/, examples: ['accounts.json'], what: 'accounts whose tokens are kept' },
  { pattern: /^seats\.json$/, examples: ['seats.json'], what: 'moderators' },
  { pattern: /^joined\.json$/, examples: ['joined.json'], what: 'rooms on other computers' },
  {
    pattern: /^app-lock\.db(?:-journal)?$|^service\/lock\.(?:db(?:-journal)?|pid)$/,
    examples: ['app-lock.db', 'service/lock.db', 'service/lock.pid'],
    what: 'locks',
  },
  { pattern: /^revoked-seats$/, examples: ['revoked-seats'], what: 'moderators who were sent away and must stay so' },
  {
    pattern: /^(?:actions|receivers|copies|room-copies)\.db$/,
    examples: ofDatabases(''),
    what: 'databases of the app',
  },
  { pattern: /^(?:actions|receivers|copies|room-copies)\.db-wal$/, examples: ofDatabases('-wal'), what: 'their logs' },
  {
    pattern: /^(?:actions|receivers|copies|room-copies)\.db-shm$/,
    examples: ofDatabases('-shm'),
    what: 'their shared memory',
  },
  { pattern: /^service\/sidestage\.db$/, examples: ['service/sidestage.db'], what: 'the main database' },
  {
    pattern: /^service\/sidestage\.db-(?:wal|shm)$/,
    examples: ['service/sidestage.db-wal', 'service/sidestage.db-shm'],
    what: 'its log and its shared memory',
  },
  {
    pattern: /^service\/credentials\.json$/,
    examples: ['service/credentials.json'],
    what: 'the key pair of a service that runs alone',
  },
  {
    pattern: /^service\/target-keys\.json$/,
    examples: ['service/target-keys.json'],
    what: 'keys of targets of a service that runs alone',
  },
  {
    pattern: /^service\/delay\//,
    examples: ['service/delay/0123456789abcdef0123456789abcdef-0-1'],
    what: 'media that is delayed',
    passing: 'a start removes it',
  },
  {
    pattern: /^service\/clipping\//,
    examples: ['service/clipping/0123456789abcdef0123456789abcdef-0-1'],
    what: 'the last minutes of what is on air, for clips',
    passing: 'a start removes it',
  },
  {
    pattern: /^service\/copies\/sidestage-[^/]+\.db$/,
    examples: ['service/copies/sidestage-2026-01-01T00-00-00Z.db'],
    what: 'copies of the main database',
  },
  { pattern: /^service\/recordings\/[0-9a-f]{32}\//, examples: [`${rooms}/Kept.mp4`], what: 'recordings' },
  { pattern: /^service\/files\/[0-9a-f]{2}\//, examples: ['service/files/ab/abcdef'], what: 'uploads' },
  {
    pattern: /\.(?:json|db)(?:\.\d+)?\.new$/,
    examples: ['settings.json.new'],
    what: 'a file that is being written',
    passing: 'it is renamed or removed',
  },
  {
    pattern: /^service\/sidestage\.db\.doubt$/,
    examples: ['service/sidestage.db.doubt'],
    what: 'a doubt',
    passing: 'only that it is there counts',
  },
  {
    pattern: /^service\/copies\/copy\.new$/,
    examples: ['service/copies/copy.new'],
    what: 'a copy that is being made',
    passing: 'it is renamed',
  },
  {
    pattern: /^service\/files\/incoming\//,
    examples: ['service/files/incoming/1'],
    what: 'an upload that comes',
    passing: 'a start removes it',
  },
  {
    pattern: /^service\/recordings\/\.probe$/,
    examples: ['service/recordings/.probe'],
    what: 'a trial of the disk',
    passing: 'it is removed at once',
  },
  {
    pattern: /(?:^|\/)\.sidestage-trial-\d+$/,
    examples: ['.sidestage-trial-7'],
    what: 'a trial at a start',
    passing: 'it is removed at once',
  },
  {
    pattern: /^service\/sidestage-move\.json$/,
    examples: ['service/sidestage-move.json'],
    what: 'the mark of a folder that the data are moved to',
    passing: 'the move removes it',
  },
  {
    pattern: /^(?:service\/)?quarantine\//,
    examples: ['quarantine/1/entry.json'],
    what: 'what was set aside',
    passing: 'sound stores have none',
  },
  {
    pattern: /\.damaged$/,
    examples: ['app-lock.db.damaged'],
    what: 'what goes into the quarantine',
    passing: 'it is moved at once',
  },
]
