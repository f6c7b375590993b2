import { ref, watch, type Ref } from 'vue'
import { useServices } from '../../data/services.ts'

/** Whether a part of the Studio is open, as it was left on this computer. */
export function useFold(part: 'encoder' | 'check' | 'log'): Ref<boolean> {
  const { memory } = useServices()
  const name = `sidestage.studio-open.${part}`
  const open = ref(memory.read(name) === '1')
  watch(open, (now) => memory.write(name, now ? '1' : '0'))
  return open
}
