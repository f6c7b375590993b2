import type { Ref } from 'vue'

/** Empties a field of what was sent from it; what was typed since stays. True when nothing is left in it. */
export function emptyOf(field: Ref<string>, sent: string): boolean {
  if (field.value === sent) field.value = ''
  return field.value === ''
}

/** Sends what stands in a field, which is emptied of it when that was done. */
export async function sendFrom(field: Ref<string>, send: (text: string) => Promise<boolean>): Promise<boolean> {
  const sent = field.value
  const isDone = await send(sent)
  if (isDone) emptyOf(field, sent)
  return isDone
}

/** Puts texts that were not sent back into their field, in order, before what was typed since. */
export function createUnsent(): (typed: string, unsent: string) => string {
  let back = ''
  return (typed, unsent) => {
    const isThere = back !== '' && typed.startsWith(back)
    const rest = (isThere ? typed.slice(back.length) : typed).trim()
    back = isThere ? `${back} ${unsent}` : unsent
    return rest === '' ? back : `${back} ${rest}`
  }
}
