package plan

// plotForm is the YAML form of a Plot.
type plotForm struct {
	Title  *at[string] `yaml:"title" doc:"Of the plot; the table's title if it says none."`
	X      at[string]  `yaml:"x,required" doc:"The column or capture that goes to the right: decimal numbers."`
	Y      at[string]  `yaml:"y,required" doc:"The column or capture that goes up: decimal numbers."`
	By     *at[string] `yaml:"by" doc:"The column whose values become one line each."`
	XLabel *at[string] `yaml:"xLabel" doc:"What x is, with its unit; its name if it says none."`
	YLabel *at[string] `yaml:"yLabel" doc:"What y is, with its unit; its name if it says none."`
	Log    *at[string] `yaml:"log" doc:"Which axes are logarithmic." enum:"x y both"`
}
