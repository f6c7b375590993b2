import { ref, type Ref } from 'vue'
import type { Marker, RecordedFile } from '../../../contract/rpc/index.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useServices } from '../../data/services.ts'

/** What the actions need. */
export interface FileActionParts {
  readonly profileId: Readonly<Ref<string | null>>
  /** In order of the merge. */
  readonly selected: Ref<readonly number[]>
  readonly load: () => Promise<void>
  readonly look: () => Promise<void>
  readonly save: (path: string, name: string) => void
}

/** A running action. */
export type FileAction = 'merge' | 'remove' | 'marker'

/** One at a time; failures are kept by action. */
export function useFileActions({ profileId, selected, load, look, save }: FileActionParts) {
  const { rpc } = useServices()
  const busy = ref<FileAction | null>(null)
  const failures = ref<Record<FileAction | 'other', Failure | null>>({
    merge: null,
    remove: null,
    marker: null,
    other: null,
  })
  /** Undefined when it failed or another action runs. */
  const run = async <T>(
    what: FileAction,
    call: (id: string) => Promise<T>,
  ): Promise<{ readonly answer: T } | undefined> => {
    const id = profileId.value
    if (id === null || busy.value !== null) return undefined
    busy.value = what
    failures.value[what] = null
    try {
      return { answer: await call(id) }
    } catch (error) {
      failures.value[what] = failureOf(error)
      return undefined
    } finally {
      busy.value = null
    }
  }
  const other = async (call: (id: string) => Promise<void>): Promise<void> => {
    const id = profileId.value
    if (id === null) return
    failures.value.other = null
    await call(id).catch((error: unknown) => {
      failures.value.other = failureOf(error)
    })
  }

  return {
    busy,
    failures,
    merge: async (outputName: string): Promise<void> => {
      if (await run('merge', (id) => rpc.recordings.merge({ profileId: id, outputName, vids: [...selected.value] })))
        selected.value = []
      await look()
    },
    cancelMerge: async (taskId: number): Promise<void> => {
      await other((id) => rpc.recordings.cancelMerge({ profileId: id, taskId }))
      await look()
    },
    remove: async (files: readonly RecordedFile[]): Promise<number | undefined> => {
      const done = await run('remove', (id) =>
        rpc.recordings.remove({ profileId: id, vids: files.map((file) => file.vid) }),
      )
      if (!done) return undefined
      const gone = new Set(done.answer.removed)
      selected.value = selected.value.filter((vid) => !gone.has(vid))
      await load()
      return gone.size
    },
    download: (file: RecordedFile): Promise<void> =>
      other(async (id) => {
        const { path } = await rpc.recordings.ticket({ profileId: id, vid: file.vid })
        save(path, `${file.name}.${file.format ?? 'mp4'}`)
      }),
    show: (file: RecordedFile): Promise<void> => other((id) => rpc.recordings.show({ profileId: id, vid: file.vid })),
    nameMarker: async (marker: Marker, label: string): Promise<boolean> => {
      if (label === marker.label) return true
      const done = await run('marker', (id) =>
        rpc.recordings.renameMarker({ profileId: id, markerId: marker.markerId, label }),
      )
      if (done) await load()
      return done !== undefined
    },
    removeMarker: async (marker: Marker): Promise<boolean> => {
      const done = await run('marker', (id) =>
        rpc.recordings.removeMarker({ profileId: id, markerId: marker.markerId }),
      )
      if (done) await load()
      return done !== undefined
    },
  }
}
