import type { Ref } from 'vue'

/** Keeps what was typed since. True if the field is empty. */
export function emptyOf(field: Ref<string>, sent: string): boolean {
  if (field.value === sent) field.value = ''
  return field.value === ''
}

/** Removes the text from the field on success. */
export async function sendFrom(field: Ref<string>, send: (text: string) => Promise<boolean>): Promise<boolean> {
  const sent = field.value
  const isDone = await send(sent)
  if (isDone) emptyOf(field, sent)
  return isDone
}

/** Puts unsent texts back, in order, before what was typed since. */
export function createUnsent(): (typed: string, unsent: string) => string {
  let back = ''
  return (typed, unsent) => {
    const isThere = back !== '' && typed.startsWith(back)
    const rest = (isThere ? typed.slice(back.length) : typed).trim()
    back = isThere ? `${back} ${unsent}` : unsent
    return rest === '' ? back : `${back} ${rest}`
  }
}
