/** The mark: the edge of a wave, and what it left. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 20" aria-hidden="true" focusable="false">
      <path d="M1 8c3.75-6 7.5-6 11.25 0s7.5 6 11.25 0C25.4 4.9 28 3.6 31 4.2" />
      <path class="mark-left" d="M5 15.5h0M13.5 17h0M21 15h0M27.5 12.5h0" />
    </svg>
  );
}
