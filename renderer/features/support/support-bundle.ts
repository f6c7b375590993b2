import { fetchedAgain } from '../../fetched-again.ts'
import { computed, ref, shallowRef } from 'vue'
import type { SupportBundle } from '../../../contract/rpc/index.ts'
import { useServices } from '../../data/services.ts'
import { useTask } from '../../data/task.ts'

/** With a first file that describes the parts. */
export async function zipOf({ made, parts }: SupportBundle, readMe: string): Promise<Uint8Array<ArrayBuffer>> {
  const { strToU8, zipSync } = await fetchedAgain(() => import('fflate'))()
  const texts = [{ file: 'README.txt', text: readMe }, ...parts]
  return zipSync(Object.fromEntries(texts.map(({ file, text }) => [file, strToU8(text)])), { level: 6, mtime: made })
}

/** `hand` saves a file. */
export function useSupportBundle(hand: (file: Blob, name: string) => void) {
  const { rpc } = useServices()
  const bundle = shallowRef<SupportBundle | null>(null)
  const { busy, failure, run } = useTask()
  const saved = ref<string | null>(null)
  const doing = async (work: () => Promise<void>): Promise<void> => {
    if (busy.value !== null) return
    saved.value = null
    await run('bundle', work)
  }
  return {
    bundle,
    busy: computed(() => busy.value !== null),
    /** Name of the last saved file, without extension. */
    saved,
    failure,
    /** In bytes. */
    size: computed(() => (bundle.value?.parts ?? []).reduce((sum, { text }) => sum + new Blob([text]).size, 0)),
    removed: computed(() => (bundle.value?.parts ?? []).reduce((sum, part) => sum + part.removed, 0)),
    gather: (): Promise<void> =>
      doing(async () => {
        bundle.value = await rpc.support.bundle()
      }),
    save: (readMe: string): Promise<void> =>
      doing(async () => {
        if (bundle.value === null) return
        const { name } = bundle.value
        hand(new Blob([await zipOf(bundle.value, readMe)], { type: 'application/zip' }), `${name}.zip`)
        saved.value = name
      }),
  }
}
