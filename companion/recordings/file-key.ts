/** Reads `<cid>_<begin>_<end>_<vid>-<slice>.<format>`; null where it differs. */
export function readFileKey(key: string) {
  const format = /\.(flv|mp4)$/i.exec(key)?.[1]?.toLowerCase() as 'flv' | 'mp4' | undefined
  const [, begin, end] = /_([1-9][0-9]{12})_([1-9][0-9]{12})_[0-9]+-[0-9]+\.[a-z0-9]+$/i.exec(key) ?? []
  return {
    begin: begin === undefined ? null : Number(begin),
    end: end === undefined ? null : Number(end),
    format: format ?? null,
  }
}
