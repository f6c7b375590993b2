import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import { inBackground } from '../../background.ts'
import type { PushCard } from '../../../contract/rpc/index.ts'
import { useServices } from '../../data/services.ts'
import { reading, useTask } from '../../data/task.ts'

/** In ms. */
export const revealFor = 8_000

type Busy = typeof reading | 'reveal' | 'copy' | 'replace' | 'renew'

/** Masked key, timed revealing, copying without showing, and renewal. */
export function usePushCard(
  profileId: Ref<string | null>,
  cid: Ref<string | null>,
  writeClipboard: (text: string) => Promise<void>,
) {
  const { rpc, now } = useServices()
  const card = shallowRef<PushCard | null>(null)
  const { busy, failure, ask, drop } = useTask<Busy>()
  const shown = ref<{ key: string; until: number } | null>(null)
  let hideTimer: ReturnType<typeof setTimeout> | undefined

  const hide = (): void => {
    clearTimeout(hideTimer)
    shown.value = null
  }
  const target = computed(() =>
    profileId.value !== null && cid.value !== null ? { profileId: profileId.value, cid: cid.value } : null,
  )
  const run = async <T>(
    what: Busy,
    call: (at: { profileId: string; cid: string }) => Promise<T>,
  ): Promise<T | undefined> => {
    const at = target.value
    if (!at) return undefined
    return ask(what, () => call(at))
  }
  const load = async (): Promise<void> => {
    const fresh = await run(reading, (at) => rpc.push.card(at))
    if (fresh) card.value = fresh
  }
  const change = async (what: 'replace' | 'renew'): Promise<boolean> => {
    const fresh = await run(what, (at) => (what === 'replace' ? rpc.push.replaceKey(at) : rpc.push.renew(at)))
    if (!fresh) return false
    hide()
    card.value = fresh
    return true
  }

  watch(
    () => `${target.value?.profileId ?? ''}/${target.value?.cid ?? ''}`,
    () => {
      // Never show the key of another channel.
      drop()
      hide()
      card.value = null
      inBackground(load())
    },
    { immediate: true },
  )
  onScopeDispose(hide)

  return {
    card,
    failure,
    busy,
    shown,
    hide,
    load,
    reveal: async (): Promise<void> => {
      const answer = await run('reveal', (at) => rpc.push.reveal(at))
      if (!answer) return
      hide()
      shown.value = { key: answer.key, until: now() + revealFor }
      hideTimer = setTimeout(hide, revealFor)
    },
    /** Without showing it; false if the clipboard refused. */
    copy: async (part: 'key' | 'url'): Promise<boolean> => {
      const answer = await run('copy', (at) => rpc.push.copy({ ...at, part }))
      if (!answer) return false
      if (answer.text === null) return true
      return await writeClipboard(answer.text).then(
        () => true,
        () => false,
      )
    },
    replace: () => change('replace'),
    renew: () => change('renew'),
  }
}
