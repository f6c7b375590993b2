/** What is chosen of the reach; one row. Booleans are 1 or 0. */
export interface ReachTable {
  id: number
  /** `computer`, `home`, `port` or `proxy`. */
  reach: string
  rtmp: number
  /** Of `proxy`; empty for none. */
  publicUrl: string
  /** Public address of `port`; empty for none. */
  portUrl: string
  port: number
  forward: number
  certificateFile: string
  keyFile: string
  /** Ranges, separated by spaces. */
  proxies: string
  localName: number
}
