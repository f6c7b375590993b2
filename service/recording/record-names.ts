/** `<filename>_<start>_<end>` of recorded files, in the service's time zone (behaviour.md#file-names). */
export type RecordNames = ReturnType<typeof createRecordNames>

/** Extension of a format: 1 flv, 0 mp4. */
export const extensionOf = (format: number): 'flv' | 'mp4' => (format === 1 ? 'flv' : 'mp4')

/** `orig_video_key`: a storage path, not an address. */
export const fileKey = (file: {
  readonly cid: string
  readonly begin: number
  readonly end: number
  readonly vid: number
  readonly slice: number
  readonly format: 'flv' | 'mp4'
}): string => `${file.cid}_${file.begin}_${file.end}_${file.vid}-${String(file.slice).padStart(5, '0')}.${file.format}`

/** Makes names in an IANA time zone. */
export function createRecordNames(timeZone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  const stamp = (at: number): string => {
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    return `${part['year']!.padStart(4, '0')}${part['month']}${part['day']}-${part['hour']}${part['minute']}${part['second']}`
  }
  return {
    /** `video_name`; the cid replaces an unset file name. */
    name: ({
      filename,
      cid,
      begin,
      end,
    }: {
      readonly filename: string
      readonly cid: string
      readonly begin: number
      readonly end: number
    }) => `${filename || cid}_${stamp(begin)}_${stamp(end)}`,
  }
}
