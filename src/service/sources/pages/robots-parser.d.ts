// The package's own declaration does not match its export, which is the function itself.
declare module 'robots-parser' {
  type Robots = {
    /** Undefined for addresses of another site. */
    isAllowed(address: string, userAgent?: string): boolean | undefined;
    /** In seconds. */
    getCrawlDelay(userAgent?: string): number | undefined;
  };
  export default function robotsParser(address: string, contents: string): Robots;
}
