import path from 'node:path'
import { inBackground } from '../background.ts'
import type {
  FolderPlan,
  FolderUse,
  RpcInputs,
  SecretReport,
  SecretTest,
  ServiceChange,
  ThisComputer,
} from '../../contract/rpc/index.ts'
import type { ServiceChoices } from '../../contract/service-process.ts'
import type { Clock } from '../../platform/clock.ts'
import { createDataFolder } from '../data-folder/data-folder.ts'
import { databaseName } from '../data-folder/folder-content.ts'
import { Failure, reasonOf } from '../failure.ts'
import type { NamedChoices } from '../instance/launch-options.ts'
import { removeLeft, reportSecrets, type SecretPorts, shownMode } from '../secrets/secret-report.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'
import type { ComputerStore } from './computer-document.ts'
import { createServiceSettings, listeners, type ServiceChoicesPorts } from './service-choices.ts'

type Input = RpcInputs['computer']

/** What prevents a move. */
export type MoveBlocker = 'onAir' | 'recording' | 'merging'

interface ThisComputerPorts extends SecretPorts {
  readonly home: string
  readonly given: ServiceChoices
  readonly named: NamedChoices
  readonly store: ComputerStore
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly supervisor: Pick<Supervisor, 'hold' | 'release' | 'change' | 'ready'>
  readonly runs: ServiceChoicesPorts['runs']
  readonly onAir: () => boolean
  readonly holder: ServiceChoicesPorts['holder']
  readonly blocker: () => Promise<MoveBlocker | undefined>
  /** Shows a file in the system's folder window; absent in a shell that cannot. */
  readonly showFile?: ((file: string) => void) | undefined
  /** Has a person choose a folder; absent in a shell without such a dialog. */
  readonly chooseFolder?: (() => Promise<string | undefined>) | undefined
  readonly changed: (computer: ThisComputer) => void
  readonly log: (line: string) => void
}

/** Settings of this computer. Throws Failure. */
export type Computer = ReturnType<typeof createComputer>

/** Makes it; nothing is changed yet. */
export function createComputer(ports: ThisComputerPorts) {
  const { store, given, named, supervisor, clock } = ports
  const usual = path.resolve(given.dataDir)
  const tell = (): void => ports.changed(state())
  const data = createDataFolder({
    home: ports.home,
    usual,
    named: named.data,
    installation: ports.entryName('').slice(0, -1),
    store,
    now: () => clock.now(),
    random: ports.random,
    service: {
      hold: () => supervisor.hold(),
      release: (dataDir) =>
        inBackground(supervisor.release({ dataDir }), ports.log, 'starting the service at its data'),
    },
    changed: tell,
    log: ports.log,
  })
  const settings = createServiceSettings({
    ...ports,
    ready: () => supervisor.ready(),
    change: (change) => supervisor.change(change),
    moving: () => data.state().move !== null,
  })
  let isThere = true

  const state = (): ThisComputer => {
    const { old, move, moved } = data.state()
    const { ports: chosen, timeZone } = store.value()
    return {
      folder: { path: data.path(), usual, named: named.data, present: isThere, old },
      move,
      moved,
      ports: listeners.map((listener) => ({
        listener,
        usual: given[listener].port,
        chosen: chosen[listener],
        named: named.ports.includes(listener),
      })),
      timeZone: { chosen: timeZone, system: given.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone },
    }
  }
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } finally {
      tell()
    }
  }

  return {
    state,
    choices: (): ServiceChoices => ({ ...settings.choices(), dataDir: data.path() }),
    folder: (): string => data.path(),
    present: async () => {
      const before = isThere
      try {
        await data.present()
        isThere = true
      } catch (error) {
        isThere = false
        throw error
      } finally {
        if (before !== isThere) tell()
      }
    },
    folderUse: async (): Promise<FolderUse> => {
      try {
        return await data.use()
      } catch (error) {
        throw new Failure('folder', reasonOf(error))
      }
    },
    showFolder: () => {
      if (!ports.showFile) throw new Failure('absent', 'this shell cannot show folders')
      // A file's name opens its folder.
      ports.showFile(path.join(data.path(), databaseName))
    },
    chooseFolder: async (): Promise<FolderPlan | null> => {
      if (!ports.chooseFolder) throw new Failure('absent', 'this shell has no dialog for folders')
      const chosen = await ports.chooseFolder()
      return chosen === undefined ? null : data.plan(chosen)
    },
    typeFolder: ({ path: chosen }: Input['typeFolder']): Promise<FolderPlan> => {
      if (ports.chooseFolder) throw new Failure('absent', 'in this shell a folder is chosen in its dialog')
      return data.plan(chosen)
    },
    moveFolder: async ({
      handle,
    }: Input['moveFolder']): Promise<{
      begun: boolean
      refused: MoveBlocker | 'moving' | 'old' | 'unknown' | null
    }> => {
      if (data.state().move !== null) return { begun: false, refused: 'moving' }
      if (data.state().old !== null) return { begun: false, refused: 'old' }
      if (!data.knows(handle)) return { begun: false, refused: 'unknown' }
      const blocker = await ports.blocker()
      if (blocker !== undefined) return { begun: false, refused: blocker }
      if (!data.knows(handle)) return { begun: false, refused: 'unknown' }
      inBackground(data.move(handle), ports.log, 'moving the data')
      return { begun: true, refused: null }
    },
    cancelMove: (): { done: boolean } => ({ done: data.cancel() }),
    removeOldCopy: async ({ keep }: Input['removeOldCopy']): Promise<{ done: boolean }> => ({
      done: await data.removeOld(keep),
    }),
    useUsualFolder: async (): Promise<{ done: boolean }> => ({ done: !isThere && (await data.useUsual()) }),
    setPorts: ({ evenOnAir, ...wish }: Input['setPorts']): Promise<ServiceChange> =>
      told(() => settings.setPorts(wish, evenOnAir)),
    setTimeZone: ({ timeZone, evenOnAir }: Input['setTimeZone']): Promise<ServiceChange> =>
      told(() => settings.setTimeZone(timeZone, evenOnAir)),
    secrets: (): Promise<SecretReport> => reportSecrets(ports),
    testSecrets: async (): Promise<SecretTest> => {
      const began = clock.now()
      const mode = await ports.vault.test()
      return { mode: shownMode(mode), milliseconds: clock.now() - began }
    },
    removeLeftSecrets: async (): Promise<SecretReport> => {
      await removeLeft(ports)
      return reportSecrets(ports)
    },
    resume: () => data.resume(),
    close: () => data.close(),
  }
}
