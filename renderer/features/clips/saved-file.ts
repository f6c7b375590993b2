import { ref, type Ref } from 'vue'
import type { RecordedFile } from '../../../contract/rpc/index.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useServices } from '../../data/services.ts'

/** What can be done with a clip that was saved. */
export function useSavedFile(
  profileId: () => string,
  file: () => RecordedFile | null,
): { readonly open: Ref<boolean>; readonly failure: Ref<Failure | null>; readonly download: () => Promise<void> } {
  const { rpc } = useServices()
  /** The player is open. */
  const open = ref(false)
  const failure = ref<Failure | null>(null)
  return {
    open,
    failure,
    download: async () => {
      const saved = file()
      if (!saved) return
      failure.value = null
      try {
        const { path } = await rpc.recordings.ticket({ profileId: profileId(), vid: saved.vid })
        Object.assign(document.createElement('a'), { href: path, download: `${saved.name}.mp4` }).click()
      } catch (error) {
        failure.value = failureOf(error)
      }
    },
  }
}
